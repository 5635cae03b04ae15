package suite

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shape names the sizes of a benchmark's operands.
type Shape []Dimension

// Dimension is one size.
type Dimension struct {
	Name string
	Size int
}

// maxSize bounds a dimension, so that a typing error does not fill the memory.
const maxSize = 10_000_000

// ParseShapes reads a list such as "k=5000,n=137;k=419,n=100"; "" is no shapes.
func ParseShapes(text string) ([]Shape, error) {
	var shapes []Shape
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		var s Shape
		for item := range strings.SplitSeq(part, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
			size, err := strconv.Atoi(value)
			if err != nil || size < 1 || size > maxSize || name == "" {
				return nil, fmt.Errorf("shape %q: expected sizes as n=500 or k=419,n=100, from 1 to %d", part, maxSize)
			}
			s = append(s, Dimension{name, size})
		}
		shapes = append(shapes, s)
	}
	return shapes, nil
}

// Get returns a size, or 0 if the shape does not have it.
func (s Shape) Get(name string) int {
	for _, d := range s {
		if d.Name == name {
			return d.Size
		}
	}
	return 0
}

// String writes the shape as ParseShapes reads it.
func (s Shape) String() string {
	var parts []string
	for _, d := range s {
		parts = append(parts, d.Name+"="+strconv.Itoa(d.Size))
	}
	return strings.Join(parts, ",")
}
