package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// problemName is what a problem file is called in a directory of its own.
const problemName = "problem.toml"

// readProblem reads a problem file, or the one in a directory.
func readProblem(path string, set []string) (*spec.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, problemName)
	}
	return spec.Read(path, set)
}

// readModel reads a model file, of which nothing may be left over. Errors name it.
func readModel(path string, load func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return refuse("%s: %s", path, systemReason(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return refuse("%s: is a directory; a model file is expected", path)
	}
	r := bufio.NewReader(file)
	if err := load(r); err != nil {
		return inFile(path, err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return inFile(path, &posterior.FileError{Why: "there is more after its end"})
	}
	return nil
}

// systemReason is what the operating system says, without the path.
func systemReason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
