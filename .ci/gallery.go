//go:build ignore

// gallery solves the examples and writes a page with a picture, the title and the verdict of each.
//
//	go build -o bpielm ./cmd/bpielm
//	go run .ci/gallery.go -program ./bpielm docs/gallery              # all of them, as committed
//	go run .ci/gallery.go -program ./bpielm DIR poisson beam          # some
//
// The pictures are those of solve, made smaller.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/image/draw"
)

// width of the pictures, in pixels.
const width = 420

// summary is what is used of summary.json.
type summary struct {
	Title   string
	Verdict struct {
		Sound  bool
		Checks []struct{ Status, Message string }
	}
}

func main() {
	log.SetFlags(0)
	program := flag.String("program", "bpielm", "the program")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: go run .ci/gallery.go [-program FILE] DIR [EXAMPLE...]")
	}
	to, names := flag.Arg(0), flag.Args()[1:]
	if len(names) == 0 {
		names = examples(*program)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	fmt.Fprint(&page, "# Gallery\n\nEvery example, solved from its file: `bpielm example NAME DIR && bpielm solve DIR --out out`. This page is written by `go run .ci/gallery.go`.\n")
	for _, name := range names {
		s, err := solve(*program, name, filepath.Join(to, name+".png"))
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&page, "\n## %s\n\n%s. %s\n\n<img src=\"%s.png\" width=\"%d\" alt=\"%s\">\n", name, s.Title, s.says(), name, width, s.Title)
	}
	if err := os.WriteFile(filepath.Join(to, "README.md"), page.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// examples lists the names that the program prints.
func examples(program string) (names []string) {
	text, err := exec.Command(program, "example").Output()
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z0-9-]+) `).FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// solve solves an example and writes its picture.
func solve(program, name, picture string) (*summary, error) {
	dir, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	problem, out := filepath.Join(dir, "problem"), filepath.Join(dir, "out")
	for _, arguments := range [][]string{{"example", name, problem}, {"solve", problem, "--out", out, "--quiet"}} {
		if said, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %v: %s", arguments[0], err, said)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil {
		return nil, err
	}
	var s summary
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	s.Title = cmp.Or(s.Title, name)
	for _, candidate := range []string{"corner.png", "solution.png", "solution-*.png"} { // what is asked for is drawn
		found, _ := filepath.Glob(filepath.Join(out, candidate))
		if len(found) == 0 {
			continue
		}
		from, err := os.Open(found[0])
		if err != nil {
			return nil, err
		}
		defer from.Close()
		return &s, smaller(from, picture)
	}
	return nil, fmt.Errorf("there is no picture in %s", out)
}

// smaller writes a picture of the usual width, on white.
func smaller(from *os.File, to string) error {
	whole, err := png.Decode(from)
	if err != nil {
		return err
	}
	size := whole.Bounds().Size()
	w := min(width, size.X)
	small := image.NewRGBA(image.Rect(0, 0, w, size.Y*w/size.X))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(small, small.Bounds(), whole, whole.Bounds(), draw.Over, nil)
	var data bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&data, small); err != nil {
		return err
	}
	return os.WriteFile(to, data.Bytes(), 0o644)
}

// says is the verdict in a sentence.
func (s *summary) says() string {
	if s.Verdict.Sound {
		return "The verdict: sound."
	}
	var failed []string
	for _, c := range s.Verdict.Checks {
		if c.Status == "failed" {
			failed = append(failed, c.Message)
		}
	}
	return "The verdict: " + strings.Join(failed, "; ") + "."
}
