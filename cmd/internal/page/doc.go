// Package page is the engine behind the page that people open in a browser: it holds a problem as its files, checks and
// solves it, answers what the page draws, and follows readings as they are dragged. It knows neither network nor
// browser: package web serves it over HTTP for `bpielm serve`, and cmd/bpielm-page compiles it to WebAssembly.
//
// A page has one Session. It sends requests, each a JSON object, and gets one reply for each, and events in between:
//
//	s := engine.Open()
//	reply := s.Call(ctx, []byte(`{"do": "open", "files": {"problem.toml": "..."}, "main": "problem.toml"}`), emit)
//
// What is open is the files and nothing else. Everything that a page shows follows from them, so undoing a change is
// opening the files as they were, and a link carries a problem by carrying its files.
//
// A solve replaces the last one when it is done. Until then everything is drawn of the last one: slices, and previews, which
// take what distinguishes the readings that are open from those that were solved, and condition the posterior on that
// (posterior.Preview). So a change that is undone is no change, however it came about.
//
// Text and tables come from anywhere. Sizes, counts, memory and times are bounded by Limits, a mistake is a Fault that names
// file and line, and so is a fault of the program.
//
// Begin reading at messages.go, which is the protocol, then session.go; files.go is what is open, solve.go what is known,
// slice.go and preview.go what is drawn of it, edit.go how tables are rewritten, and ship.go how an example comes solved.
package page
