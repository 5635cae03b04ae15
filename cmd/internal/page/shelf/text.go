package shelf

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decoded reads a text as package readings does: compressed with gzip or not; in UTF-16 if it begins with a byte order
// mark; and otherwise lines that are no UTF-8 are in Windows-1252.
func decoded(r io.Reader, most int64) (string, error) {
	data, err := readAll(r, most)
	if err == nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var text io.Reader
		if text, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = readAll(text, most)
		}
	}
	if err != nil {
		return "", err
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		data, err = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		return string(data), err
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	var text strings.Builder
	for line := range bytes.Lines(data) {
		if !utf8.Valid(line) {
			if line, err = charmap.Windows1252.NewDecoder().Bytes(line); err != nil {
				return "", err
			}
		}
		text.Write(line)
	}
	return text.String(), nil
}

// file is a text as a file.
type file struct {
	*strings.Reader
	info
}

type info struct {
	name string
	size int64
}

func newFile(name, text string) fs.File {
	return &file{strings.NewReader(text), info{path.Base(name), int64(len(text))}}
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

func (i info) Name() string     { return i.name }
func (i info) Size() int64      { return i.size }
func (info) Mode() fs.FileMode  { return 0o444 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
