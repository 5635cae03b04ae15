package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bpielm/bpielm/system"
)

// Error is a refusal of user data: where it stands, and what was found there and
// was expected. Every error of this package is an *Error.
type Error struct {
	File string // the problem file or the CSV file
	Line int    // 0 when unknown
	Key  string // section.key of a problem file, a column of a CSV file
	Why  string

	// Limit tells that nothing is wrong with it but that it goes over one of the Limits.
	Limit bool
}

// Error returns file:line: key: why, with the parts that are known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	return b.String() + e.Why
}

// inFile names the file in an *Error that does not know it.
func inFile(path string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.File == "" {
		e.File = path
	}
	return err
}

// reason returns what is wrong without the place, which the caller names.
func reason(err error) string {
	var problem *system.ProblemError
	var path *fs.PathError
	switch {
	case errors.As(err, &problem):
		return problem.Why
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// How much of a user's text, and of a key, an error repeats.
const (
	maxQuoted = 60
	maxKey    = 200
)

// shorten cuts a text that is too long to be repeated whole.
func shorten(text string) string { return shortenTo(text, maxQuoted) }

func shortenTo(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
