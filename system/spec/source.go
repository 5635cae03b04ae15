package spec

import (
	"fmt"
	"io/fs"
)

// Limits limit what a problem may ask for. 0 is no limit. To exceed one is an *Error with Limit set.
type Limits struct {
	// Points is the total number of collocation points, rows of files and points of the output grid.
	Points int64
	// Bytes is the total size of all files that the problem names.
	Bytes int64
}

// source is where a problem file and the files that it names come from, and what of it is read.
type source struct {
	place  place
	budget *budget // nil: none

	later func(name string) bool // files of sensors that are read later, see ReadFSLater; nil: none
}

// budget is what has been used of the limits.
type budget struct {
	Limits
	points, bytes int64
}

// take uses points or rows.
func (b *budget) take(points int64) error {
	if b == nil {
		return nil
	}
	if b.points += points; b.Points > 0 && b.points > b.Points {
		return &overLimit{fmt.Sprintf("with what stands before it these are %d points and rows; at most %d are allowed", b.points, b.Points)}
	}
	return nil
}

// overLimit is the error of going over a limit.
type overLimit struct{ why string }

func (e *overLimit) Error() string { return e.why }

func (s source) open(name string) (fs.File, error) {
	f, err := s.place.open(name)
	if err != nil || s.budget == nil {
		return f, err
	}
	info, err := f.Stat()
	if err == nil {
		if s.budget.bytes += info.Size(); s.budget.Bytes > 0 && s.budget.bytes > s.budget.Bytes {
			err = &overLimit{fmt.Sprintf("with the files before it these are %d bytes; at most %d are allowed", s.budget.bytes, s.budget.Bytes)}
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
