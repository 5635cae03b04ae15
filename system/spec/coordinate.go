package spec

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bpielm/bpielm/system"
	"github.com/bpielm/bpielm/system/readings"
	"github.com/bpielm/bpielm/system/spec/internal/unit"
)

// numberAndUnit splits "3 mm", "3mm" and "1e-3 m". A unit begins with a letter, a percent sign or that of degrees.
func numberAndUnit(text string) (number, symbols string, ok bool) {
	sign := 0
	if text != "" && (text[0] == '+' || text[0] == '-') {
		sign = 1
	}
	digits := text[sign:]
	if digits == "" || !isDigit(digits[0]) && !(digits[0] == '.' && len(digits) > 1 && isDigit(digits[1])) {
		return "", "", false
	}
	n := sign + numberLength(digits)
	symbols = strings.TrimSpace(text[n:])
	first, _ := utf8.DecodeRuneInString(symbols)
	return text[:n], symbols, unicode.IsLetter(first) || strings.ContainsRune("%‰°", first)
}

// ParseCoordinate reads a value of a variable as people write it on a command line: a number in the variable's unit, a date
// if the variable has a Start, or a number with a unit, which is converted to the variable's. bare tells that it is a
// number whose unit is not stated though the variable has one. An error does not name the variable.
func ParseCoordinate(text string, of system.Variable) (x float64, bare bool, err error) {
	number, symbols, ok := numberAndUnit(text)
	x, err = readings.Parse(text, of)
	if err == nil || !ok {
		_, no := readings.Parse(text, system.Variable{Name: of.Name})
		return x, err == nil && no == nil && of.Unit != "", err
	}
	value, err := readings.Parse(number, system.Variable{Name: of.Name})
	if err != nil {
		return 0, false, err
	}
	factor, err := conversionTo(symbols, of)
	if x = float64(value * factor); math.IsInf(x, 0) {
		return 0, false, fmt.Errorf("the number %s is too large in %s", shorten(number), of.Unit)
	}
	return x, false, err
}

// isUnit tells whether a text is a unit, all of whose symbols are known.
func isUnit(text string) bool {
	u, ok := unit.Parse(text)
	names, symbols := u.Missing()
	return ok && len(names)+len(symbols) == 0
}

// conversionTo returns the factor from a unit to that of a variable.
func conversionTo(text string, of system.Variable) (float64, error) {
	switch {
	case of.Unit == "":
		return 0, fmt.Errorf("found the unit %q, but the problem file states no unit of %s: write the number alone", shorten(text), of.Name)
	case text == of.Unit:
		return 1, nil
	}
	from, known := unit.Parse(text)
	if !known {
		return 0, fmt.Errorf("%q is no unit that is known; the unit of %s is %s", shorten(text), of.Name, of.Unit)
	}
	to, known := unit.Parse(of.Unit)
	if !known {
		return 0, fmt.Errorf("found the unit %q; the unit of %s is %s, which cannot be converted", shorten(text), of.Name, of.Unit)
	}
	factor, same, ok := from.Over(to)
	if !ok || !same {
		return 0, fmt.Errorf("found the unit %q, which cannot be converted to that of %s, %s", shorten(text), of.Name, of.Unit)
	}
	if _, temperature, _ := from.Over(unit.Of("K")); temperature {
		return 0, errors.New("temperatures have different zeros: write the number in " + of.Unit)
	}
	return factor, nil
}
