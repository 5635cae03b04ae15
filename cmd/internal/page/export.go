package page

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/solution"
)

// export writes a file for the reader of the page to keep.
func (s *Session) export(ctx context.Context, what string) (*File, error) {
	if what == "problem" {
		open, _, _ := s.snapshot()
		if open == nil {
			return nil, errors.New("no problem is open")
		}
		return file("problem.zip", "application/zip", zipped(open.files)), nil
	}
	open, err := s.readable()
	if err != nil {
		return nil, err
	}
	switch what {
	case "all":
		if s.engine.Export == nil {
			return nil, errors.New("only the native program writes everything; here there are csv, model and problem")
		}
		ctx, end, err := s.begin(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
		data, err := s.engine.Export(ctx, maps.Clone(open.files), open.main)
		if err != nil {
			return nil, faultOf(err, open.file)
		}
		if data == nil {
			return nil, errors.New("only the native program writes everything; here there are csv, model and problem")
		}
		return file("results.zip", "application/zip", data), nil
	case "csv", "model":
		v, err := s.last()
		if err != nil {
			return nil, err
		}
		if !v.is(open) {
			return nil, errors.New("the problem has changed since it was solved; solve it first")
		}
		if what == "csv" {
			return v.tables(ctx)
		}
		var data bytes.Buffer
		if err := v.q.WithNote(v.file.Definitions(solution.KnownSensors(v.file))).Save(&data); err != nil {
			return nil, err
		}
		return file("model.bpielm", "application/octet-stream", data.Bytes()), nil
	}
	return nil, fmt.Errorf(`export: %q is not known; there are "csv", "model", "problem" and "all"`, clip(what))
}

func file(name, kind string, data []byte) *File {
	return &File{Name: name, Type: kind, Data: base64.StdEncoding.EncodeToString(data)}
}

// tables writes the solution as `bpielm solve --out` does: one CSV file, or a zip of several where fields depend on some
// of the variables only.
func (v *solved) tables(ctx context.Context) (*File, error) {
	of, err := solution.OnGrid(v.file, interruptible{v, ctx})
	if err != nil {
		return nil, err
	}
	names, tables := of.Tables(v.file.Problem.Variables)
	files := map[string]string{}
	for i, t := range tables {
		var text strings.Builder
		if err := t.WriteCSV(&text); err != nil {
			return nil, err
		}
		files[names[i]] = text.String()
	}
	if len(names) == 1 {
		return file(names[0], "text/csv", []byte(files[names[0]])), nil
	}
	return file("solution.zip", "application/zip", zipped(files)), nil
}
