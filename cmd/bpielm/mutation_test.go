//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
)

// What replaces a number, and what is put between other bytes.
var (
	hostileNumbers = []string{
		"0", "-1", "1", "2", "-0.0", "3.7", "1e308", "-1e308", "1e309", "1e-308", "5e-324", "NaN", "nan", "Inf", "-inf", "1e18", "1000000", "2147483648", "9223372036854775807", "18446744073709551616",
		"1e", "0x10", "1_000", "--1", "1.2.3", "", strings.Repeat("9", 500), "0." + strings.Repeat("0", 400) + "1", "1" + strings.Repeat("0", 5000),
	}
	hostileTexts = []string{
		"\"", "'", "\"\"\"", "[", "]", "[[", "]]", "{", "}", "(", ")", "=", ",", ";", "#", "\n", "\r", "\r\n", "\t", "\x00", "\xff\xfe", "\ufeff", "\u202e", "é", "∂u/∂x", "１２", "x\u0301", "🦆", "\x1b[31m", "\\", "\\u0000", "\\U0010ffff",
		"+", "-", "*", "/", "^", "**", "_", ".", "..", "/", "../", "/dev/zero", ".", "u_xxxxxxxxx", "u_", "_x", "u*u", "1/0", "x^x^x", "e^e^e^e^e", "sin", "sqrt(-1)", "log(0)", " and ", " or ", "<", ">=", "==", "inf", "nan", "true", "[1, [2]]", "{ a = { b = 1 } }", "1979-05-27",
	}
)

var (
	aNumber = regexp.MustCompile(`[-+]?\b[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)
	aWord   = regexp.MustCompile(`\b[A-Za-z_][A-Za-z_0-9]*`)
	aString = regexp.MustCompile(`"[^"\n]*"`)
	aValue  = regexp.MustCompile(`= *[^=\n]+`)
)

// A mutation changes a text. It may use parts of another one.
type mutation func(r *rand.Rand, text, other []byte) []byte

var mutations = []mutation{
	flipBit, setByte, deleteSome, insertSome, insertSome, truncate,
	swapLines, doubleLine, removeLine, removeLine, lineOfOther, longLine, manyLines,
	changeNumber, changeNumber, changeNumber, exchange(aNumber), exchange(aWord), exchange(aWord), exchange(aString), exchange(aString), exchange(aValue),
	nest, repeat, misquote, encode,
}

// mutated returns a text with one to four mutations.
func mutated(r *rand.Rand, text, other []byte) []byte {
	for range 1 + min(r.IntN(4), r.IntN(4)) {
		text = mutations[r.IntN(len(mutations))](r, bytes.Clone(text), other)
	}
	return text
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// replaced is a text with the bytes from, to replaced.
func replaced(text []byte, from, to int, with string) []byte {
	return []byte(string(text[:from]) + with + string(text[to:]))
}

func flipBit(r *rand.Rand, text, _ []byte) []byte {
	if len(text) > 0 {
		text[r.IntN(len(text))] ^= 1 << r.IntN(8)
	}
	return text
}

func setByte(r *rand.Rand, text, _ []byte) []byte {
	if len(text) > 0 {
		text[r.IntN(len(text))] = byte(r.IntN(256))
	}
	return text
}

func deleteSome(r *rand.Rand, text, _ []byte) []byte {
	from := r.IntN(len(text) + 1)
	return replaced(text, from, min(len(text), from+1+r.IntN(1+r.IntN(30))), "")
}

func insertSome(r *rand.Rand, text, _ []byte) []byte {
	at := r.IntN(len(text) + 1)
	return replaced(text, at, at, pick(r, hostileTexts))
}

func truncate(r *rand.Rand, text, _ []byte) []byte { return text[:r.IntN(len(text)+1)] }

// times repeats a text, but not beyond the largest size of a file.
func times(text string, n int) string {
	const most = 2 << 20
	return strings.Repeat(text, min(n, most/(len(text)+1)))
}

// ofLines changes a text's lines. They keep their line ends.
func ofLines(text []byte, change func(lines [][]byte) [][]byte) []byte {
	return bytes.Join(change(bytes.SplitAfter(text, []byte("\n"))), nil)
}

func swapLines(r *rand.Rand, text, _ []byte) []byte {
	return ofLines(text, func(l [][]byte) [][]byte {
		i, j := r.IntN(len(l)), r.IntN(len(l))
		l[i], l[j] = l[j], l[i]
		return l
	})
}

func doubleLine(r *rand.Rand, text, _ []byte) []byte {
	return ofLines(text, func(l [][]byte) [][]byte {
		i := r.IntN(len(l))
		l[i] = bytes.Repeat(l[i], 2)
		return l
	})
}

func removeLine(r *rand.Rand, text, _ []byte) []byte {
	return ofLines(text, func(l [][]byte) [][]byte {
		l[r.IntN(len(l))] = nil
		return l
	})
}

func lineOfOther(r *rand.Rand, text, other []byte) []byte {
	return ofLines(text, func(l [][]byte) [][]byte {
		i := r.IntN(len(l))
		l[i] = append(l[i], pick(r, bytes.SplitAfter(other, []byte("\n")))...)
		return l
	})
}

// longLine repeats the end of a line up to 100,000 times.
func longLine(r *rand.Rand, text, _ []byte) []byte {
	return ofLines(text, func(l [][]byte) [][]byte {
		i := r.IntN(len(l))
		n := len(bytes.TrimRight(l[i], "\n"))
		from := max(0, n-1-r.IntN(10))
		l[i] = replaced(l[i], from, from, times(string(l[i][from:n]), pick(r, []int{1, 10, 1000, 100_000})))
		return l
	})
}

// manyLines repeats a line up to 10,000 times.
func manyLines(r *rand.Rand, text, _ []byte) []byte {
	return ofLines(text, func(l [][]byte) [][]byte {
		i := r.IntN(len(l))
		l[i] = []byte(times(string(l[i]), pick(r, []int{3, 10, 10, 100, 10_000})))
		return l
	})
}

// find returns one of the matches of a pattern in a text.
func find(r *rand.Rand, pattern *regexp.Regexp, text []byte) (from, to int, found bool) {
	all := pattern.FindAllIndex(text, -1)
	if len(all) == 0 {
		return 0, 0, false
	}
	at := pick(r, all)
	return at[0], at[1], true
}

func changeNumber(r *rand.Rand, text, _ []byte) []byte {
	from, to, found := find(r, aNumber, text)
	if !found {
		return text
	}
	with := pick(r, hostileNumbers)
	if r.IntN(3) == 0 {
		with = fmt.Sprint(math.Exp(40 * r.NormFloat64()))
	}
	return replaced(text, from, to, with)
}

// exchange replaces a match of a pattern by another match, of the same or of the other text.
func exchange(pattern *regexp.Regexp) mutation {
	return func(r *rand.Rand, text, other []byte) []byte {
		if r.IntN(2) == 0 {
			other = text
		}
		from, to, found := find(r, pattern, text)
		first, last, foundOther := find(r, pattern, other)
		if !found || !foundOther {
			return text
		}
		return replaced(text, from, to, string(other[first:last]))
	}
}

// nest puts a word or a number into up to 50,000 brackets, signs or functions.
func nest(r *rand.Rand, text, _ []byte) []byte {
	from, to, found := find(r, pick(r, []*regexp.Regexp{aWord, aNumber, aString}), text)
	if !found {
		return text
	}
	around := pick(r, [][2]string{{"(", ")"}, {"[", "]"}, {"{a=", "}"}, {"-", ""}, {"sin(", ")"}, {"exp(", ")"}, {"2^", ""}, {"1/", ""}, {"x*(1+", ")"}})
	n := pick(r, []int{1, 3, 30, 300, 5000, 50_000})
	return replaced(text, from, to, times(around[0], n)+string(text[from:to])+times(around[1], n))
}

// repeat joins up to 10,000 copies by operators.
func repeat(r *rand.Rand, text, _ []byte) []byte {
	from, to, found := find(r, pick(r, []*regexp.Regexp{aWord, aNumber}), text)
	if !found {
		return text
	}
	part := string(text[from:to])
	return replaced(text, to, to, times(pick(r, []string{"+", "*", "^", "-", ",", " - ", "_", ""})+part, pick(r, []int{1, 4, 40, 10_000})))
}

// misquote removes or exchanges a quote, a bracket, a comma or an equals sign.
func misquote(r *rand.Rand, text, _ []byte) []byte {
	const marks = "\"'[]{}(),=#"
	var places []int
	for i, b := range text {
		if strings.IndexByte(marks, b) >= 0 {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return text
	}
	at := pick(r, places)
	with := ""
	if r.IntN(2) == 0 {
		with = string(marks[r.IntN(len(marks))])
	}
	return replaced(text, at, at+1, with)
}

// encode changes the encoding of the whole text.
func encode(r *rand.Rand, text, _ []byte) []byte {
	switch r.IntN(6) {
	case 0:
		return append([]byte("\ufeff"), text...)
	case 1:
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	case 2:
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))
	case 3:
		var wide []byte
		for _, b := range text {
			wide = append(wide, b, 0)
		}
		return append([]byte("\xff\xfe"), wide...)
	case 4:
		return bytes.ReplaceAll(text, []byte(","), []byte(";"))
	}
	return bytes.ReplaceAll(text, []byte("x"), []byte("ẋ"))
}

// mutatedModel returns a model file with one to three changes of its bytes, its header's text or its numbers. Most get a
// correct checksum: otherwise no check behind it would be reached.
func mutatedModel(r *rand.Rand, model []byte) []byte {
	const fixed = 16 // bytes before the header
	model = bytes.Clone(model)
	for range 1 + r.IntN(3) {
		if len(model) < fixed+4 {
			break
		}
		header := min(len(model)-4, fixed+int(binary.LittleEndian.Uint32(model[12:])))
		switch kind := r.IntN(8); {
		case kind == 0:
			model = pick(r, []mutation{flipBit, setByte, deleteSome, truncate, insertSome})(r, model, nil)
		case kind == 1: // another version or length
			binary.LittleEndian.PutUint32(model[pick(r, []int{8, 12}):], pick(r, []uint32{0, 1, 2, 3, 4, 5, 1 << 20, math.MaxUint32, uint32(r.IntN(1000))}))
		case kind < 5 && header > fixed:
			text := mutated(r, model[fixed:header], model[fixed:header])
			if len(text) > 1<<20 {
				text = text[:1<<20]
			}
			length := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
			model = bytes.Join([][]byte{model[:12], length, text, model[header:]}, nil)
		case len(model)-4-header >= 8: // one of the floats behind the header
			at := header + 8*r.IntN((len(model)-4-header)/8)
			value := pick(r, []float64{0, math.Copysign(0, -1), -1, 1e308, -1e308, 1e-308, 5e-324, 1e18, math.NaN(), math.Inf(1), r.NormFloat64()})
			binary.LittleEndian.PutUint64(model[at:], math.Float64bits(value))
		}
	}
	if len(model) > 4 && r.IntN(8) > 0 {
		return withChecksum(model)
	}
	return model
}

// withChecksum corrects the checksum at the end of a model file.
func withChecksum(model []byte) []byte {
	n := len(model) - 4
	binary.LittleEndian.PutUint32(model[n:], crc32.Checksum(model[:n], crc32.MakeTable(crc32.Castagnoli)))
	return model
}
