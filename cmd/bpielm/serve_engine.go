package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"testing/fstest"
	"time"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/format"
	engine "github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/cmd/internal/page/shelf"
	"github.com/bpielm/bpielm/system/spec"
)

// An offer is the problems that a page may open: those of the user, if there are any, and the examples.
type offer struct {
	own      *shelf.Shelf // nil: none
	examples *shelf.Shelf
}

// offered returns what is offered with a problem file, a folder or "".
func offered(name string) (*offer, error) {
	o := &offer{examples: shelf.Of(problems.Files)}
	if name == "" {
		return o, nil
	}
	var err error
	if o.own, err = shelf.Open(name); err != nil {
		if reason := systemReason(err); reason != err {
			return nil, refuse("%s: %s", name, reason)
		}
		return nil, &inputError{err: err}
	}
	return o, nil
}

// list lists the problems; a page opens with the first.
func (o *offer) list() ([]engine.Example, error) {
	var all []engine.Example
	if o.own != nil {
		own, err := o.own.List()
		if err != nil {
			return nil, err
		}
		all = own
	}
	for _, e := range problems.All {
		all = append(all, engine.Example{Name: e.Name, Title: sentence(e.About)})
	}
	for _, s := range problems.Studies {
		all = append(all, engine.Example{Name: s.Name, Title: sentence(s.About)})
	}
	for _, m := range problems.Measured {
		all = append(all, engine.Example{Name: m.Name, Title: sentence(m.About)})
	}
	return all, nil
}

// sentence begins a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// take returns the files of a problem. Names of the user's problems end in .toml or are that of the only one; an example
// has neither.
func (o *offer) take(name string) (files map[string]string, main string, shipped []byte, err error) {
	if o.own != nil {
		if files, main, err = o.own.Take(name); err == nil || !isExample(name) {
			return files, main, nil, err
		}
	}
	if !isExample(name) {
		return nil, "", nil, fmt.Errorf("there is no example %q", format.Clipped(format.Printable(name), 80))
	}
	files, main, err = o.examples.Take(path.Join(name, problems.ProblemFile))
	return files, main, nil, err
}

func isExample(name string) bool {
	return problems.Find(name) != nil || problems.FindStudy(name) != nil || problems.FindMeasured(name) != nil
}

// newEngine returns the engine of the pages. The solves of all of them share the memory that the program may use.
func newEngine(io *streams, o *offer) *engine.Engine {
	e := &engine.Engine{Examples: o.list, Example: o.take, Export: func(ctx context.Context, files map[string]string, main string) ([]byte, error) {
		return exported(ctx, io, files, main)
	}}
	if most := int64(io.maxMemory); most > 0 {
		const usual, preview, least = 4 << 30, 384 << 20, 32 << 20
		e.Limits.Memory = min(usual, max(most/int64(2*runtime.GOMAXPROCS(0)), least))
		e.Limits.Preview = min(preview, max(most/16, least))
	}
	return e
}

// exported solves a problem, and returns a zip of all files that solve --out writes in all formats.
func exported(ctx context.Context, out *streams, files map[string]string, main string) ([]byte, error) {
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	file, err := spec.ReadFSLimited(folder, main, nil, spec.Limits{Points: sandboxPoints, Bytes: sandboxBytes})
	if err != nil {
		return nil, err
	}
	config, err := bpielm.Config(file)
	if err != nil {
		return nil, err
	}
	if err := out.checkMemory(file.Path, solveMemory(file, config, true)); err != nil {
		return nil, err
	}
	config.MaxMemory = int64(out.maxMemory)
	a, err := newAnswer(ctx, file, config)
	if err != nil {
		return nil, inProblem(file, err)
	}
	as := allFormats(file)
	contents, err := a.files(as, a.report())
	if err != nil {
		return nil, err
	}
	var zipped bytes.Buffer
	z, now := zip.NewWriter(&zipped), time.Now()
	for _, f := range contents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: now})
		if err == nil {
			err = f.Fill(w)
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return zipped.Bytes(), err
}

// allFormats are those that can hold the solution.
func allFormats(file *spec.File) formats {
	as := formats(formats(nil).known())
	if as.check(file) == nil {
		return as
	}
	var fit formats
	for _, f := range as {
		if f != vtkFormat {
			fit = append(fit, f)
		}
	}
	return fit
}
