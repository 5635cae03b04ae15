// Command bpielm-page is the engine of the page for a browser: package page, compiled to WebAssembly, in a worker. It is
// of use only with the files that the page consists of, which a command of its own writes:
//
//	go run ./cmd/bpielm-page/bundle site      # then put the folder on any web space
//
// The worker static/engine-worker.js starts it, hands requests to it and posts what it answers. Problems that come with
// the page lie beside it, each with the answer to it, so that the first picture needs no solve.
//
// Begin reading at main.go; the page itself is in cmd/internal/page/static.
package main
