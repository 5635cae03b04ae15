package export

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// NumPy writes an .npz file: the coordinates of each axis, by its name, and each array,
// whose dimensions are the axes in the problem's order. numpy.load reads it.
func NumPy(w io.Writer, grids []Grid) error {
	z := zip.NewWriter(w)
	written := map[string]bool{}
	add := func(name string, shape []int, values []float64) error {
		if written[name] { // an axis that several grids have
			return nil
		}
		written[name] = true
		out, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Deflate})
		if err != nil {
			return err
		}
		return writeArray(out, shape, values)
	}
	for _, g := range grids {
		var shape []int
		for _, a := range g.Axes {
			shape = append(shape, len(a.Values))
			if err := add(a.Name, shape[len(shape)-1:], a.Values); err != nil {
				return err
			}
		}
		for _, a := range g.Arrays {
			if err := add(a.Name, shape, a.Values); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// writeArray writes an array in the format of NumPy, version 1.0.
func writeArray(w io.Writer, shape []int, values []float64) error {
	var sizes strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&sizes, "%d, ", n)
	}
	const magic, align = "\x93NUMPY\x01\x00", 64
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", sizes.String())
	padding := align - (len(magic)+2+len(header)+1)%align
	header += strings.Repeat(" ", padding) + "\n"
	b := append([]byte(magic), byte(len(header)), byte(len(header)>>8))
	b = append(b, header...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	_, err := w.Write(b)
	return err
}
