package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/cmd/internal/export"
	"github.com/bpielm/bpielm/cmd/internal/figure"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/system/spec"
)

// formats are those of --formats: of pictures, and of the numbers on the output grid.
type formats []string

const (
	vtkFormat   = "vtk"
	numpyFormat = "npz"
)

// known are all formats.
func (formats) known() []string {
	var names []string
	for _, f := range figure.Formats {
		names = append(names, string(f))
	}
	return append(names, vtkFormat, numpyFormat)
}

// Validate refuses unknown formats when the command line is read.
func (as formats) Validate() error {
	for _, name := range as {
		if !slices.Contains(as.known(), name) {
			return fmt.Errorf("unknown format %q: known are %s", format.Clipped(name, 40), strings.Join(as.known(), ", "))
		}
	}
	return nil
}

// check refuses, before anything is solved, a format that cannot hold the solution.
func (as formats) check(file *spec.File) error {
	if !slices.Contains(as, vtkFormat) {
		return nil
	}
	var names []string
	for _, v := range file.Problem.Variables {
		names = append(names, v.Name)
	}
	if err := export.CheckVTK(names); err != nil {
		return inFile(file.Path, &inputError{what: "--formats=" + vtkFormat, err: err})
	}
	return nil
}

// pictures are the formats of pictures, in a fixed order.
func (as formats) pictures() []figure.Format {
	var list []figure.Format
	for _, f := range figure.Formats {
		if slices.Contains(as, string(f)) {
			list = append(list, f)
		}
	}
	return list
}

// numbers are the files with the numbers on the output grid.
func (as formats) numbers(a *answer) []export.File {
	vtk, numpy := slices.Contains(as, vtkFormat), slices.Contains(as, numpyFormat)
	if !vtk && !numpy {
		return nil
	}
	grids := export.Grids(a.solution, a.file.Problem.Variables, a.file.Output.Grid)
	var files []export.File
	if vtk {
		files = export.VTK(grids)
	}
	if numpy {
		files = append(files, export.File{Name: "solution.npz", Fill: func(w io.Writer) error { return export.NumPy(w, grids) }})
	}
	return files
}
