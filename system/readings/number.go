package readings

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// parseNumber reads a number. Where decimalComma, its decimals may follow a comma.
func parseNumber(text string, decimalComma bool) (float64, error) {
	if decimalComma && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	return strconv.ParseFloat(text, 64)
}

// wrongNumber says what is wrong with a cell that must hold a finite number; "" if nothing is.
func wrongNumber(text string, v float64, err error, certain bool) string {
	switch {
	case text == "":
		return "the cell is empty; a number is expected"
	case errors.Is(err, strconv.ErrRange):
		return "the number " + shorten(text) + " is too large"
	case err != nil && !certain:
		return "the cell is no number"
	case err != nil && strings.Contains(text, ",") && strings.Contains(text, "."):
		return "found " + strconv.Quote(shorten(text)) + "; a number is expected: leave out what separates thousands"
	case err != nil && strings.Count(text, ",") == 1:
		return "found " + strconv.Quote(shorten(text)) + "; a number is expected; decimals are written with a point where commas separate columns"
	case err != nil:
		return "found " + strconv.Quote(shorten(text)) + "; a number is expected"
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "found " + strconv.FormatFloat(v, 'g', -1, 64) + "; a finite number is expected"
	}
	return ""
}

// gaps are what loggers and spreadsheets write where there is no reading, in small letters.
var gaps = map[string]bool{"": true, "nan": true, "na": true, "n/a": true, "null": true, "none": true, "nil": true, "-": true, "--": true, "---": true, "?": true}

// missing is what else stands for no reading.
type missing struct {
	texts   []string
	numbers []float64
}

func newMissing(texts []string) (m missing) {
	for _, text := range texts {
		m.texts = append(m.texts, strings.TrimSpace(text))
		if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			m.numbers = append(m.numbers, v)
		}
	}
	return m
}

// text reports whether a cell has no reading.
func (m *missing) text(cell string, decimalComma bool) bool {
	return isGap(cell) || m.lists(cell, decimalComma)
}

// isGap reports whether a cell has no reading in any file.
func isGap(cell string) bool {
	return len(cell) <= 4 && gaps[strings.ToLower(cell)] || strings.HasPrefix(cell, "#")
}

// lists reports whether a cell is one of the values that stand for no reading in this file only.
func (m *missing) lists(cell string, decimalComma bool) bool {
	for _, t := range m.texts {
		if t == cell {
			return true
		}
	}
	if len(m.numbers) == 0 {
		return false
	}
	v, err := parseNumber(cell, decimalComma)
	return err == nil && m.number(v)
}

func (m *missing) number(v float64) bool {
	for _, n := range m.numbers {
		if n == v {
			return true
		}
	}
	return false
}
