// Command bpielm-edge runs beside the sensors. It loads compiled physics (made
// anywhere by `bpielm compile`), reads what the sensors report line by line from a
// file, a serial port or standard input, and logs the estimates that follow.
//
//	stty -F /dev/ttyS1 115200 raw && bpielm-edge -readings /dev/ttyS1 -points asked.csv -state edge.state physics.bpielm
//
// It opens no network port, keeps a bounded number of readings, and is made to run for
// years. Each line of its log is an event, written as soon as it happens:
//
//	estimate reading=40 x=0.5 t=1 u=0.4123 sd=0.0132
//	parameter reading=40 name=lambda mean=1.02 sd=0.05
//	outlier line=17 sensor=north value=9.1 expected=0.52 sd=0.05 innovation=171.6 kept=false
//	recalled line=23 readings=1
//	shift line=52 kept=12
//	fault line=60 sensor=south condition=drifting
//	dropped line=60 sensor=south
//	forgotten line=71 sensor=west
//	skipped standard input:18: x: found ""; a number is expected
//	state resumed: edge.state: 5214 readings, 200 kept
//	alive readings=5214 kept=200 outliers=3 skipped=12 sensors=4 silent=0.3s
//
// Where the time has a start, lines about a reading or a point end with its date, as
// date=2024-05-01T06:00:00Z, and those about a parameter with that of the last reading.
//
// # What it reads
//
// CSV whose first line names the columns, or JSON lines: one column for each variable,
// value, and optionally sigma, sensor and kind. Tables laid out as the files of the
// problem's sensors are read, too, with their dates and with the places of their sensors:
// see package system/readings. A value that is missing is left out. An invalid line is skipped, and so is
// one of more than 64 KiB, up to its end. Between two alive lines, ten of them are
// logged and the others counted. CSV cannot be understood before a line that names the
// columns. To join a stream later, name the columns with -columns or use a state, which
// knows them. The first line of a stream joined this way may have lost its beginning,
// and the last line its end; they are skipped, except in a regular file. Of more than
// 4096 sensors, the one that has been silent for the longest time is forgotten, with its
// readings.
//
// # What it keeps
//
// Readings that are more than -absurd standard deviations from what is expected are
// logged as outliers and left out. A reading that was kept while little was known is
// recalled when others have shown that it is absurd. When the readings left out are the
// majority and agree with each other, the level has shifted, and they replace those
// kept. With -drop, a sensor that disagrees for some readings is dropped for good, even
// if it is the only one.
//
// With -state FILE the program writes its state to a file: at the start, every -save
// and at the end. A program that is restarted continues from there, with readings,
// sensors and their condition, and the names of the columns. After SIGTERM it continues
// as if it had never stopped; after a kill or a power failure, without the readings
// since the last -save. The file is replaced as a whole, and synced to the disk. A state
// that is damaged, or of other physics, is replaced, which is logged. Any other file of
// that name is refused.
//
// # How it ends
//
// SIGTERM and SIGINT end it after what has already been read. A reader of the log that
// has stopped reading delays that by two seconds at most. Exit status:
//
//	0  it was asked to end, or the file or pipe has ended
//	1  it could not go on, and a restart may help: the device has hung up, the stream
//	   has ended without a valid line, or the log or the state could not be written
//	2  the flags, the physics, the points or the file of that name as the state are wrong
//	4  an internal error
//
// Begin reading at device.go.
package main
