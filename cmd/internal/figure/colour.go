package figure

import (
	"image/color"
	"math"
)

// A ColourMap turns a position in [0, 1] into a colour. It holds colours at
// equal distances; those between them are interpolated linearly in sRGB.
type ColourMap []color.RGBA

// Perceptually uniform maps: equal steps of the value look equally large. They
// stay readable in grey and to the colour-blind. Viridis is for values, Magma for standard
// deviations and errors, Cividis for what a new sensor would gain.
var (
	Viridis = newColourMap(0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725)
	Magma   = newColourMap(0x000004, 0x1d1147, 0x51127c, 0x822681, 0xb63679, 0xe65164, 0xfb8861, 0xfec287, 0xfcfdbf)
	Cividis = newColourMap(0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xfee838)
)

func newColourMap(anchors ...uint32) ColourMap {
	m := make(ColourMap, len(anchors))
	for i, a := range anchors {
		m[i] = rgb(a)
	}
	return m
}

// at returns the colour at position t. Below 0 and for NaN it is the lowest
// colour, above 1 the highest.
func (m ColourMap) at(t float64) color.RGBA {
	if !(t > 0) {
		return m[0]
	}
	s := math.Min(t, 1) * float64(len(m)-1)
	i := min(int(s), len(m)-2)
	return mix(m[i], m[i+1], s-float64(i))
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	channel := func(x, y uint8) uint8 {
		return uint8(math.Round(float64(x) + t*(float64(y)-float64(x))))
	}
	return color.RGBA{channel(a.R, b.R), channel(a.G, b.G), channel(a.B, b.B), channel(a.A, b.A)}
}

// rgb is the opaque colour 0xRRGGBB.
func rgb(c uint32) color.RGBA {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}
}
