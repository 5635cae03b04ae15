//go:build !js || !wasm

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bpielm-page runs in browsers: go run ./cmd/bpielm-page/bundle DIR writes the page with it")
	os.Exit(2)
}
