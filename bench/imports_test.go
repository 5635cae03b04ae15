package bench

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/bpielm/bpielm"

// theRoot is the name of the package in the module's own folder.
const theRoot = "."

// within returns the folder of one of the module's packages.
func within(path string) (folder string, own bool) {
	if path == module {
		return theRoot, true
	}
	return strings.CutPrefix(path, module+"/")
}

// layers is the order of the packages, the lowest first. A package may import
// those of lower layers and of its own room. Rooms of one layer know nothing of
// each other.
var layers = [][]string{
	{"mat/asm"},
	{"mat"},
	{"feature"},
	{"system"},
	{"system/readings"},
	{"system/spec", "posterior"},
	{theRoot},
	{"bench"},
	{"cmd"},
}

// roomOf returns the room that a package is in or below, and its layer.
func roomOf(path string) (room string, layer int) {
	layer = -1
	for i, rooms := range layers {
		for _, r := range rooms {
			if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(room) {
				room, layer = r, i
			}
		}
	}
	return room, layer
}

func mayImport(from, to string) bool {
	room, layer := roomOf(from)
	other, below := roomOf(to)
	return room == other || below < layer
}

func TestImportsGoDownward(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	arrows := 0
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		from, _ := within(paths[0])
		if _, layer := roomOf(from); layer < 0 {
			t.Errorf("%s is in none of the rooms", from)
		}
		for _, path := range paths[1:] {
			to, own := within(path)
			if !own {
				continue
			}
			if arrows++; !mayImport(from, to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
	if arrows < 50 {
		t.Errorf("%d imports are seen: too few to be all", arrows)
	}
}

// The test above can fail.
func TestUpwardImportsAreSeen(t *testing.T) {
	for _, c := range []struct {
		from, to string
		may      bool
	}{
		{"bench/calibration", "cmd/bpielm", false},
		{"mat/asm", "mat", false},
		{"mat", "mat/asm", true},
		{"system", "system/spec", false},
		{"system", "system/readings", false},
		{"system/spec", "system/readings", true},
		{"cmd/internal/feed", "system/readings", true},
		{"system/spec", "system", true},
		{"posterior", "system/spec", false},
		{"system/spec", "posterior", false},
		{"posterior", "posterior/internal/gauss", true},
		{"cmd/bpielm", "cmd/internal/figure", true},
		{"cmd/internal/figure", "posterior", true},
		{"feature", "system", false},
		{theRoot, "posterior", true},
		{"posterior", theRoot, false},
		{"cmd/bpielm", theRoot, true},
	} {
		if got := mayImport(c.from, c.to); got != c.may {
			t.Errorf("%s may import %s: %v", c.from, c.to, got)
		}
	}
}
