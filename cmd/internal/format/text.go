package format

import (
	"strings"
	"unicode"
)

// Clipped shortens a text to at most so many characters.
func Clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// Printable replaces characters that cannot be printed. Tabs stay.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// Sensor makes the name of a sensor, or of a kind of sensors, fit for a line.
func Sensor(name string) string { return Clipped(Printable(name), 128) }
