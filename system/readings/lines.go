package readings

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	maxLine      = 1 << 16 // bytes of a line of a stream
	maxWholeLine = 1 << 20 // of a file
)

const byteOrderMark = "\ufeff"

// lines reads line by line, and never holds more than one.
type lines struct {
	from *bufio.Reader
	err  error // of reading, to be returned after the last line
	line int   // number of the last line read
	most int   // bytes of a line
	long []byte
}

// tooLong is the error of a line that was skipped.
type tooLong struct{ most int }

func (e tooLong) Error() string { return fmt.Sprintf("a line of more than %d bytes", e.most-1) }

// next returns the next line without its end. ended is false if there was none. The
// error tooLong concerns this line alone, any other is the end.
func (l *lines) next() (text string, ended bool, err error) {
	if l.err != nil {
		return "", false, l.err
	}
	part, err := l.from.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], part...)
		fits := true
		for err == bufio.ErrBufferFull {
			part, err = l.from.ReadSlice('\n')
			if fits = fits && len(l.long)+len(part) < l.most; fits {
				l.long = append(l.long, part...)
			}
		}
		if !fits {
			l.long = nil
			l.line++
			l.err = err
			return "", false, tooLong{l.most}
		}
		part = l.long
	}
	l.err = err
	if err != nil && len(part) == 0 {
		return "", false, err
	}
	l.line++
	text = string(part)
	if l.line == 1 {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	if text, ended = strings.CutSuffix(text, "\n"); ended {
		text = strings.TrimSuffix(text, "\r")
	}
	if !utf8.ValidString(text) {
		text = fromWindows(text)
	}
	return text, ended, nil
}

// failed returns the error that has ended reading; nil for the end of the file.
func (l *lines) failed() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

// windows1252 has the characters 80 to 9f of Windows-1252. The others are those of Unicode.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// fromWindows converts a text in Windows-1252 to UTF-8.
func fromWindows(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 0x80 && c < 0xa0 {
			b.WriteRune(windows1252[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}
