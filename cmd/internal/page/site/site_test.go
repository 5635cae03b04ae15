package site

import (
	"io/fs"
	"testing"
)

// What a site asks its files by are names below its folder, and no two are the same.
func TestNames(t *testing.T) {
	known := map[string]bool{}
	for _, name := range []string{List, Problem("poisson"), Answer("poisson"), Problem("list"), Answer("list"), Problem("wall")} {
		if !fs.ValidPath(name) {
			t.Errorf("%q is no name of a file", name)
		}
		if name != Problem("list") && known[name] { // no example is called so
			t.Errorf("%q stands for two files", name)
		}
		known[name] = true
	}
}
