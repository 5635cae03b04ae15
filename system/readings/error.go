package readings

import "fmt"

// Error says where a table cannot be read, and why.
type Error struct {
	File   string
	Line   int    // 0 before the first one
	Column string // "" where the line as a whole is wrong
	Why    string

	// Missing is the name of a column that there is none of. Found has the names that were found.
	Missing string
	Found   []string
	// Cure is what in a Layout would name the column, as columns = { sensor = "Well" }; "" where that is not clear.
	Cure string
	// Certain says that the file is certainly a table. Nothing should be quoted from any other
	// file: somebody may have named it to see what is in it.
	Certain bool
}

func (e *Error) Error() string {
	text := e.Why
	if e.Column != "" {
		text = e.Column + ": " + text
	}
	if e.Line == 0 {
		return e.File + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
}

// shorten cuts a text that is too long to quote.
func shorten(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
