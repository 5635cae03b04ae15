package readings

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// fromUTF16 converts a text in UTF-16 to UTF-8. What is no character becomes U+FFFD.
type fromUTF16 struct {
	from    *bufio.Reader
	order   binary.ByteOrder
	pending []byte // in UTF-8
	err     error  // after pending
}

// decode makes a file in UTF-16, which begins with a byte order mark, one in UTF-8. It is to be called before the first
// line is read.
func (l *lines) decode() {
	mark, _ := l.from.Peek(2) // an error comes again
	var order binary.ByteOrder
	switch string(mark) {
	case "\xff\xfe":
		order = binary.LittleEndian
	case "\xfe\xff":
		order = binary.BigEndian
	default:
		return
	}
	l.from = bufio.NewReaderSize(&fromUTF16{from: l.from, order: order}, l.from.Size())
}

// Read implements io.Reader.
func (u *fromUTF16) Read(p []byte) (int, error) {
	for len(u.pending) < len(p) && u.err == nil {
		var c rune
		if c, u.err = u.next(); u.err == nil {
			u.pending = utf8.AppendRune(u.pending, c)
		}
	}
	n := copy(p, u.pending)
	u.pending = append(u.pending[:0], u.pending[n:]...)
	if n == 0 && len(p) > 0 {
		return 0, u.err
	}
	return n, nil
}

// next returns the next character.
func (u *fromUTF16) next() (rune, error) {
	unit, err := u.from.Peek(2)
	if len(unit) == 1 && err == io.EOF { // half a unit
		u.from.Discard(1)
		return utf8.RuneError, nil
	}
	if err != nil {
		return 0, err
	}
	c := rune(u.order.Uint16(unit))
	u.from.Discard(2)
	if !utf16.IsSurrogate(c) {
		return c, nil
	}
	if unit, err = u.from.Peek(2); err != nil {
		return utf8.RuneError, nil // the error comes again
	}
	if c = utf16.DecodeRune(c, rune(u.order.Uint16(unit))); c != utf8.RuneError {
		u.from.Discard(2)
	}
	return c, nil
}
