// Package feed reads a stream of sensor readings, line by line as they arrive, and
// hands them to a posterior.Stream.
//
// The stream is CSV whose first line names its columns, or JSON lines:
//
//	t,x,value,sensor                    {"t": 0.5, "x": 0.25, "value": 1.25, "sensor": "north"}
//	0.5,0.25,1.25,north                 {"t": 0.5, "x": 0.75, "value": 0.98, "sensor": "south"}
//
// There is one column for each variable, and value. Optional columns are sigma, the
// reading's own noise; sensor, the name of the sensor, used to report one that is
// stuck or drifts; and kind, which of the model's sensors it is (default: the one of
// that name, or else the first). Further columns are ignored, and so are empty lines
// and lines that begin with #.
//
//	lines := feed.NewReader(feed.Until(os.Stdin, feed.Interrupted()), "standard input", prior.Variables())
//	stations := feed.NewStations(prior, stream)
//	for {
//		record, err := lines.Next()
//		if err == io.EOF || err == feed.ErrStopped {
//			break
//		}
//		if err == nil {
//			event, err = stations.Add(record)
//		}
//		...
//	}
//
// An invalid line is an *Error and costs that line alone. All lines before the first
// that names the columns are invalid. A later line that names them, perhaps in
// another order, applies from there on, unless three lines in succession have as many
// columns as were named before: then it was truncated.
//
// Package spec reads CSV files, too, and on purpose by other rules. It reads a whole
// file that does not change, where any error is the end and says how to mend the
// file. This package must go on after any line, holds one line at a time, and must
// not import the libraries of spec: it is part of bpielm-edge.
//
// Begin reading at Reader.Next, then Stations.Add.
package feed
