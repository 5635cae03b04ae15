// Package readings reads tables of sensor readings as data loggers, spreadsheets and
// streams write them. It is the one way in: problem files, command lines and the program
// beside the sensors read with it.
//
//	r, err := readings.NewReader(file, "log.csv", readings.Config{Variables: variables, Whole: true})
//	for err == nil {
//		record, err := r.Next() // record.At, record.Value, record.Line
//		if err == io.EOF {
//			break
//		}
//		...                     // a *readings.Error costs one line of a stream
//	}
//
// A table has a line that names its columns, and a line for each row. Columns are
// separated by commas, semicolons or tabs, whichever of them makes that line name all the
// columns that are needed. A table may also be JSON lines, with the names as keys.
//
//	t,x,value,sensor                    {"t": 0.5, "x": 0.25, "value": 1.25, "sensor": "north"}
//	0.5,0.25,1.25,north                 {"t": 0.5, "x": 0.75, "value": 0.98, "sensor": "south"}
//
// There is one column for each variable, and value. Optional columns are sigma, the
// reading's own noise, sensor, the name of the sensor, and kind, which of a model's
// sensors it is. Further columns are ignored. A system.Layout gives columns other names,
// and places to sensors: then coordinates need no column, and without a column of values
// each place names one, with or without the unit in brackets at its end, as T1 does "T1 [K]".
//
// What stands before the line of names is skipped, and so are empty lines and lines that
// begin with #. A file is in UTF-8, with or without a byte order mark, or in UTF-16 with
// one, or else in Windows-1252.
//
// Where columns are not separated by commas, a number may have a decimal comma. A value
// that is empty, NaN, NA, N/A, null, none, - or ?, or begins with # as a spreadsheet's errors
// do, is a gap: it is counted, and there is no record. A place must not be missing.
//
// The times of a variable with a Start may be dates. These are understood as they stand:
//
//	2024-05-01T00:00:00+02:00   2024-05-01 00:00   2024-05-01   2024/05/01 0:00
//	01.05.2024 00:00:00,5       1-May-2024 12:00 AM
//
// 01/05/2024 is not: a Layout says whether the day comes first or the month. It also says
// that numbers are Unix times, or the days of a spreadsheet. The result is in the unit of
// the variable: us, ms, s, min, h, d, week or a, which is 365.25 days.
//
// A date with a time zone, such as Z or +02:00, needs a Start with one, and so do Unix
// times, which have the zone Z. A date without a zone is in that of Start. If no date has
// one, all are of the same clock, which is not put forward in summer.
//
// Begin reading at Reader.Next, then columns.go and clock.go.
package readings
