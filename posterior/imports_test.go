package posterior

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLibraryImportsOnlyWhatItMay holds the rule that keeps the library light:
// beside the standard library and this module it uses two packages.
func TestLibraryImportsOnlyWhatItMay(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		"../mat", "../mat/asm", "../feature", "../system", "../posterior")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path != "golang.org/x/sys/cpu" && path != "github.com/klauspost/cpuid/v2" && !strings.HasPrefix(path, "github.com/bpielm/bpielm/") {
			t.Errorf("the library imports %s", path)
		}
	}
}
