package page

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/bpielm/bpielm/cmd/internal/describe"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/posterior"
	"github.com/bpielm/bpielm/system/spec"
)

// Error makes a Fault an error.
func (f *Fault) Error() string {
	switch {
	case f.File == "":
		return f.Message
	case f.Line == 0:
		return f.File + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}

// longest is how many characters of a message are shown.
const longest = 2000

func clip(text string) string { return format.Clipped(format.Printable(text), 80) }

// failed is the reply for an error.
func failed(err error) Reply { return Reply{Error: faultOf(err, nil)} }

// faultOf says why something failed, with the place in the files if the error is about one of its parts.
func faultOf(err error, file *spec.File) *Fault {
	var (
		fault *Fault
		named *spec.Error
	)
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{Message: "it took too long and was stopped"}
	case errors.Is(err, context.Canceled):
		return &Fault{Message: "canceled", Canceled: true}
	case errors.As(err, &named):
		f := &Fault{Message: named.Why, File: named.File, Line: named.Line}
		if named.Key != "" {
			f.Message = named.Key + ": " + named.Why
		}
		return f.tidy()
	}
	f := &Fault{Message: err.Error()}
	var data *posterior.DataError
	var setting *posterior.ConfigError
	switch { // that it is of the preview is plain on a page
	case errors.As(err, &data) && data.Where == "preview":
		f.Message = data.Why
	case errors.As(err, &setting) && setting.Setting == "preview":
		f.Message = setting.Why
	}
	if where := describe.Part(err); file != nil && where != "" {
		f.File, f.Line = path.Clean(file.Path), file.LineOf(where)
	}
	return f.tidy()
}

// tidy makes a message fit for a page: text from a user's file cannot fill it, nor send control characters.
func (f *Fault) tidy() *Fault {
	f.Message = format.Clipped(format.Printable(f.Message), longest)
	return f
}
