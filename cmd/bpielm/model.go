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

// readModel reads a model file to its end, and refuses one that is longer. Errors
// name the file.
func readModel(path string, load func(io.Reader) error) error {
	file, err := spec.OpenFile(path)
	if err != nil {
		return refuse("%s: %s", path, systemReason(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		example := ""
		if file := filepath.Join(path, "model.bpielm"); !isMissing(file) {
			example = ", as " + file
		}
		return refuse("%s: is a directory; a model file is expected%s", path, example)
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

// systemReason returns the error of the operating system, without the path.
func systemReason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// loadModel reads a model file.
func loadModel(path string) (*posterior.Posterior, error) {
	var q *posterior.Posterior
	err := readModel(path, func(r io.Reader) (err error) {
		q, err = posterior.Load(r)
		return err
	})
	return q, err
}

// loadPrior reads compiled physics.
func loadPrior(path string) (*posterior.Prior, error) {
	var p *posterior.Prior
	err := readModel(path, func(r io.Reader) (err error) {
		p, err = posterior.LoadPrior(r)
		return err
	})
	return p, err
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return err != nil
}
