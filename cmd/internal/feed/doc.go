// Package feed follows a stream of sensor readings, line by line as they arrive, and
// hands them to a posterior.Stream. Package system/readings reads the lines: the stream is
// CSV or JSON lines, plain or laid out as the files of the model's sensors were.
//
//	lines, err := feed.NewReader(feed.Until(os.Stdin, feed.Interrupted()), "standard input", prior)
//	stations := feed.NewStations(prior, stream)
//	for err == nil {
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
// The name of a reading's sensor is used to report one that is stuck or drifts. Its kind says
// which of the model's sensors it is (default: the one of that name, or else the first).
//
// An invalid line is an *Error and costs that line alone. All lines before the first
// that names the columns are invalid. A later line that names them, perhaps in
// another order, applies from there on, unless three lines in succession have as many
// columns as were named before: then it was truncated.
//
// It is part of bpielm-edge and must stay small.
//
// Begin reading at NewReader, then Stations.Add.
package feed
