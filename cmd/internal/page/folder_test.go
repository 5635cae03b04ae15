package page

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"
	"testing/fstest"
)

var someFiles = map[string]string{"problem.toml": "title = \"wall\"", "a/readings.csv": "x,value\n1,2\n", "a/b/\u00fcber.csv": "", "c.csv": "1"}

func TestFolderIsAFileSystem(t *testing.T) {
	if err := fstest.TestFS(folder(someFiles), "problem.toml", "a/readings.csv", "a/b/\u00fcber.csv", "c.csv"); err != nil {
		t.Error(err)
	}
}

func TestZippedFilesAreReadByOthers(t *testing.T) {
	data := zipped(someFiles)
	if again := zipped(someFiles); !bytes.Equal(data, again) {
		t.Error("the same files give another archive")
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != len(someFiles) {
		t.Errorf("%d files", len(r.File))
	}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in) // which checks the sum
		if err != nil || string(text) != someFiles[f.Name] {
			t.Errorf("%s: %q, %v", f.Name, text, err)
		}
	}
}
