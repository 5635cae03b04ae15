package main

import (
	"errors"
	"fmt"
	"regexp"
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

// plainUsage says in plain words what is wrong with a command line, where the parser of command lines does not.
func plainUsage(err error) error {
	text := err.Error()
	for _, p := range usagePhrases {
		if p.says.MatchString(text) {
			return &inputError{what: p.says.ReplaceAllString(text, p.plain)}
		}
	}
	return err
}

// usagePhrases are what the parser says, and what is said instead.
var usagePhrases = []struct {
	says  *regexp.Regexp
	plain string
}{
	{regexp.MustCompile(`^expected "<(.*)>"$`), "$1 is missing; --help after the verb says how it is used"},
	{regexp.MustCompile(`^(.*): expected \S+ value but got "EOL" \(<EOL>\)$`), "$1: a value is missing"},
	{regexp.MustCompile(`^(.*): expected duration but got (".*"): .*$`), "$1: found $2; a time with its unit is expected, as 90s or 10m"},
}

// oneLine makes an error's message safe for a terminal. Text from a user's file can
// neither break the line, nor fill the screen, nor send control sequences.
func oneLine(err error) string {
	return format.Clipped(format.Printable(strings.Join(strings.Fields(err.Error()), " ")), 1000)
}
