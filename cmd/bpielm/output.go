package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/results"
)

// textFile is a file to be written.
type textFile struct {
	name    string
	content []byte
}

// writeProblem writes a problem's files into a directory, all or nothing, and says how
// to solve it. It overwrites existing files only with force.
func writeProblem(w io.Writer, directory string, files []textFile, force bool) error {
	if !force {
		for _, f := range files {
			path := filepath.Join(directory, f.name)
			if _, err := os.Lstat(path); err == nil {
				return refuse("%s exists; --force overwrites it", path)
			}
		}
	}
	folder, err := results.Open(directory)
	if err != nil {
		return err
	}
	defer folder.Discard()
	for _, f := range files {
		err := folder.Write(f.name, func(w io.Writer) error {
			_, err := w.Write(f.content)
			return err
		})
		if err != nil {
			return err
		}
	}
	written, err := folder.Commit()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\nbpielm solve %s solves it\n", strings.Join(written, "\n"), filepath.Join(directory, problems.ProblemFile))
	return err
}
