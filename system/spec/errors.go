package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bpielm/bpielm/system"
)

// Error reports a mistake in a user's file: where it is, what was found and what was
// expected. Every error of this package is an *Error.
type Error struct {
	File string // the problem file or the CSV file
	Line int    // 0 when unknown
	Key  string // section.key of a problem file, a column of a CSV file
	Why  string

	// Limit says that the file is not wrong, but goes over one of the Limits.
	Limit bool
}

// Error returns file:line: key: why, without what is not known.
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

// inFile adds the file to an *Error that does not name one.
func inFile(path string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.File == "" {
		e.File = path
	}
	return err
}

// reason returns what is wrong, without the place, which the caller adds.
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

// An error quotes at most this many characters of the user's text, and of a key.
const (
	maxQuoted = 60
	maxKey    = 200
)

// shorten cuts a text that is too long to quote.
func shorten(text string) string { return shortenTo(text, maxQuoted) }

func shortenTo(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
