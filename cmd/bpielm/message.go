package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system/spec"
)

// inFile puts the name of a file before an error that does not name one.
func inFile(path string, err error) error {
	var named *spec.Error
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// inProblem is inFile for a problem file, with the line of the part of the problem that the error names.
func inProblem(file *spec.File, err error) error {
	path := file.Path
	if line := file.LineOf(describe.Part(err)); line > 0 {
		path = fmt.Sprintf("%s:%d", path, line)
	}
	return inFile(path, err)
}

// oneLine makes an error's message safe for a terminal. Text from a user's file can
// neither break the line, nor fill the screen, nor send control sequences.
func oneLine(err error) string {
	return format.Clipped(format.Printable(strings.Join(strings.Fields(err.Error()), " ")), 1000)
}
