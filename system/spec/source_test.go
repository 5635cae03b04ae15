package spec

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// A problem reads the same from a file system as from a directory, the files
// that it names among the rest, and says where a refusal stands.
func TestReadFS(t *testing.T) {
	directory := filepath.Join("..", "..", "bench", "problems")
	const name = "poisson/problem.toml"
	want, err := Read(filepath.Join(directory, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadFS(os.DirFS(directory), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Problem.Sensors, want.Problem.Sensors) || len(got.Problem.Sensors) == 0 {
		t.Error("the sensors differ")
	}

	text, err := fs.ReadFile(os.DirFS(directory), name)
	if err != nil {
		t.Fatal(err)
	}
	alone := fstest.MapFS{"inner/problem.toml": {Data: text}}
	if _, err := ReadFS(alone, "inner/problem.toml", nil); err == nil || !strings.Contains(err.Error(), "inner/problem.toml:18: sensors.file: boundary.csv: file does not exist") {
		t.Errorf("without its sensors' file: %v", err)
	}
}
