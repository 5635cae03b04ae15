package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system"
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
	var data *posterior.DataError
	var problem *system.ProblemError
	where := ""
	switch {
	case errors.As(err, &data):
		where = data.Where
	case errors.As(err, &problem):
		where = problem.Where
	}
	path := file.Path
	if line := file.LineOf(where); line > 0 {
		path = fmt.Sprintf("%s:%d", path, line)
	}
	return inFile(path, err)
}

// oneLine makes an error's message safe for a terminal. Text from a user's file can
// neither break the line, nor fill the screen, nor send control sequences.
func oneLine(err error) string {
	return clipped(printable(strings.Join(strings.Fields(err.Error()), " ")), 1000)
}

// clipped shortens a text to at most so many characters.
func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// printable replaces characters that cannot be printed. Tabs stay.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
