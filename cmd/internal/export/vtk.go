package export

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A File is to be written.
type File struct {
	Name string
	Fill func(io.Writer) error
}

// time is the name of the variable that becomes steps of an animation where there are
// too many axes for a picture.
const time = "t"

// mostAxes is how many axes a VTK image has.
const mostAxes = 3

// CheckVTK returns an error if grids of these variables cannot be images: with more than
// three variables besides the time.
func CheckVTK(variables []string) error {
	if n := len(variables); n > mostAxes && (n > mostAxes+1 || !slices.Contains(variables, time)) {
		return fmt.Errorf("a VTK image has three axes, and a time; the problem has the variables %s", strings.Join(variables, ", "))
	}
	return nil
}

// VTK returns the grids as files of VTK's XML format: images (.vti), or rectilinear
// grids (.vtr) where an axis is logarithmic or there are time steps. Of three variables
// or more, the time t becomes time steps; their times are the field data t, because VTK
// numbers the steps. Points outside the domain are hidden.
func VTK(grids []Grid) []File {
	var files []File
	for i := range grids {
		m := grids[i].image()
		extension := ".vti"
		if m.rectilinear() {
			extension = ".vtr"
		}
		files = append(files, File{m.name(extension), m.write})
	}
	return files
}

// image is a grid with its axes in VTK's order: up to three in space, the first changing
// fastest, and the steps in time.
type image struct {
	*Grid
	space   []int // axes, by number
	animate int   // axis of the time steps, -1 for none
}

func (g *Grid) image() *image {
	m := &image{Grid: g, animate: -1}
	for d, a := range g.Axes {
		if a.Name == time && len(g.Axes) >= 3 {
			m.animate = d
			continue
		}
		m.space = append(m.space, d)
	}
	return m
}

// rectilinear tells whether the coordinates must be listed: they are not equidistant, or
// there are steps, with which VTK 9 forgets the spacing of images.
func (m *image) rectilinear() bool {
	return m.animate >= 0 || slices.ContainsFunc(m.Axes, func(a Axis) bool { return a.Log })
}

// steps is the number of time steps.
func (m *image) steps() int {
	if m.animate < 0 {
		return 1
	}
	return len(m.Axes[m.animate].Values)
}

// order calls f for the number in the grid of each point of a step, in VTK's order.
func (m *image) order(step int, f func(k int)) {
	stride := make([]int, len(m.Axes))
	for d, n := len(m.Axes)-1, 1; d >= 0; d-- {
		stride[d] = n
		n *= len(m.Axes[d].Values)
	}
	first := 0
	if m.animate >= 0 {
		first = step * stride[m.animate]
	}
	var along func(axis, at int)
	along = func(axis, at int) {
		if axis < 0 {
			f(at)
			return
		}
		d := m.space[axis]
		for i := range m.Axes[d].Values {
			along(axis-1, at+i*stride[d])
		}
	}
	along(len(m.space)-1, first)
}

func (m *image) write(to io.Writer) error {
	w, rectilinear := bufio.NewWriter(to), m.rectilinear()
	extent, origin, spacing := make([]string, mostAxes), make([]string, mostAxes), make([]string, mostAxes)
	for i := range mostAxes {
		extent[i], origin[i], spacing[i] = "0 0", "0", "1"
		if i < len(m.space) {
			v := m.Axes[m.space[i]].Values
			extent[i], origin[i] = fmt.Sprintf("0 %d", len(v)-1), fmt.Sprint(v[0])
			if len(v) > 1 {
				spacing[i] = fmt.Sprint((v[len(v)-1] - v[0]) / float64(len(v)-1))
			}
		}
	}
	kind, whole := "ImageData", fmt.Sprintf(`WholeExtent="%s"`, strings.Join(extent, " "))
	if rectilinear {
		kind = "RectilinearGrid"
	} else {
		whole += fmt.Sprintf(` Origin="%s" Spacing="%s"`, strings.Join(origin, " "), strings.Join(spacing, " "))
	}
	if m.animate >= 0 {
		var times []string
		for _, t := range m.Axes[m.animate].Values {
			times = append(times, fmt.Sprint(t))
		}
		whole += fmt.Sprintf(` TimeValues="%s"`, strings.Join(times, " "))
	}
	fmt.Fprintf(w, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<%s %s>\n", kind, kind, whole)
	if m.animate >= 0 {
		fmt.Fprintln(w, "<FieldData>")
		times := &m.Axes[m.animate]
		writeData(w, times.Name, fmt.Sprintf(` NumberOfTuples="%d"`, len(times.Values)), "Float64", floats(times.Values))
		fmt.Fprintln(w, "</FieldData>")
	}
	fmt.Fprintf(w, "<Piece Extent=\"%s\">\n<PointData Scalars=\"%s\">\n", strings.Join(extent, " "), attribute(m.Arrays[0].Name))
	holes := m.holes()
	for step := range m.steps() {
		which := ""
		if m.animate >= 0 {
			which = fmt.Sprintf(` TimeStep="%d"`, step)
		}
		for _, a := range m.Arrays {
			var values []float64
			m.order(step, func(k int) { values = append(values, a.Values[k]) })
			writeData(w, a.Name, which, "Float64", floats(values))
		}
		if holes {
			writeData(w, "vtkGhostType", which, "UInt8", m.hidden(step))
		}
	}
	fmt.Fprintln(w, "</PointData>")
	if rectilinear {
		fmt.Fprintln(w, "<Coordinates>")
		for i := range mostAxes {
			name, values := "none"+fmt.Sprint(i), []float64{0}
			if i < len(m.space) {
				name, values = m.Axes[m.space[i]].Name, m.Axes[m.space[i]].Values
			}
			writeData(w, name, "", "Float64", floats(values))
		}
		fmt.Fprintln(w, "</Coordinates>")
	}
	fmt.Fprintf(w, "</Piece>\n</%s>\n</VTKFile>\n", kind)
	return w.Flush()
}

// empty tells whether no array has a value at point k of the grid.
func (m *image) empty(k int) bool {
	return !slices.ContainsFunc(m.Arrays, func(a Array) bool { return !math.IsNaN(a.Values[k]) })
}

// holes tells whether the grid has such points.
func (m *image) holes() bool {
	for k := range m.size() {
		if m.empty(k) {
			return true
		}
	}
	return false
}

// hidden marks the points of a step without values, by the number that VTK has for them.
func (m *image) hidden(step int) (marks []byte) {
	const hiddenPoint = 2
	m.order(step, func(k int) {
		mark := byte(0)
		if m.empty(k) {
			mark = hiddenPoint
		}
		marks = append(marks, mark)
	})
	return marks
}

func floats(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// writeData writes an array as its length in bytes and its bytes, in base 64.
func writeData(w io.Writer, name, more, kind string, values []byte) {
	b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(values))), values...)
	fmt.Fprintf(w, "<DataArray type=\"%s\" Name=\"%s\"%s format=\"binary\">%s</DataArray>\n", kind, attribute(name), more, base64.StdEncoding.EncodeToString(b))
}

// attribute escapes a text for the value of an attribute.
func attribute(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}
