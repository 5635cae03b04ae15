// Command bundle writes the page as static files, with its engine in WebAssembly: a folder for any web space, which needs
// no server and works offline.
//
//	go run ./cmd/bpielm-page/bundle site
//	python3 -m http.server -d site
//
// Beside every large file is a copy that is compressed with gzip, for servers that can use it. The same commit gives the
// same bytes. Begin reading at write.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/cmd/internal/page/shelf"
	"github.com/bpielm/bpielm/cmd/internal/page/site"
	"github.com/bpielm/bpielm/cmd/internal/page/static"
	"github.com/bpielm/bpielm/mat/asm/host"
)

// shown are the problems on the site, the one that the page opens with first: one of every kind, and none that a browser
// would need minutes for. Their answers are a few megabytes each, and are fetched when one is opened; the largest by far,
// of the only nonlinear one, would take half a minute to infer.
var shown = []string{
	"poisson", "inverse-poisson", "diffusion", "advection", "inverse-helmholtz", "beam", "heat-2d", "acoustics", "ring", "wall",
	"l-plate", "aluminium-rod", "yeast",
}

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: bundle DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// write makes the site in a folder, which need not exist.
func write(dir string) error {
	b := &bundle{dir: dir, sizes: map[string][2]int{}}
	for _, step := range []func() error{b.page, b.ping, b.program, b.examples, b.manifest} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// bundle is a site that is being written.
type bundle struct {
	dir   string
	sizes map[string][2]int // of each file, plain and compressed
}

// policy is the content security policy of the page, as the server sends it.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"

// page copies the files that the page consists of.
func (b *bundle) page() error {
	return fs.WalkDir(static.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := static.Files.ReadFile(name)
		if err != nil {
			return err
		}
		if name == "index.html" { // where no server says it
			const before = `<meta charset="utf-8">`
			if !bytes.Contains(data, []byte(before)) {
				return errors.New("index.html has no place for the policy")
			}
			data = bytes.Replace(data, []byte(before), []byte(before+"\n<meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">"), 1)
		}
		return b.file(name, data)
	})
}

// ping writes what a page asks for first, to know whether it is the program that serves it. It could do without: but then
// the console of the browser would say that something is missing.
func (b *bundle) ping() error { return b.file("api/ping", []byte("{}\n")) }

// program compiles the engine, and adds what its host needs.
func (b *bundle) program() error {
	temporary, err := os.MkdirTemp("", "bpielm-page")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	out := filepath.Join(temporary, "bpielm.wasm")
	// Calls that are not expanded in place make it a seventh smaller. In the kernels they are, since much of a solve is there.
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "hostkernel", "-gcflags", "all=-l", "-gcflags", "github.com/bpielm/bpielm/mat/asm=", "-ldflags", "-s -w", "-o", out, "github.com/bpielm/bpielm/cmd/bpielm-page")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=")
	const smaller = "GOEXPERIMENT=nogreenteagc" // the former garbage collector, as long as the go command has it
	has := exec.Command("go", "version")
	has.Env = append(os.Environ(), smaller)
	if has.Run() == nil {
		build.Env = append(build.Env, smaller)
	}
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("the program could not be compiled: %w", err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	if err := b.file("bpielm.wasm", data); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	start, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return errors.Join(b.file("wasm_exec.js", start), b.file("door.wasm", host.Door()), b.file("room.wasm", host.Room()))
}

// examples solves the problems of the site, so that the page shows their answers at once.
func (b *bundle) examples() error {
	var list []page.Example
	from := shelf.Of(problems.Files)
	for _, name := range shown {
		about, err := title(name)
		if err != nil {
			return err
		}
		list = append(list, page.Example{Name: name, Title: about})
		files, main, err := from.Take(path.Join(name, problems.ProblemFile))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		opened, err := json.Marshal(site.Opened{Files: files, Main: main})
		if err != nil {
			return err
		}
		answer, err := solved(files, main)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := errors.Join(b.file(site.Problem(name), opened), b.file(site.Answer(name), answer)); err != nil {
			return err
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return b.file(site.List, data)
}

// title is what a list says of an example.
func title(name string) (string, error) {
	about := ""
	if e := problems.Find(name); e != nil {
		about = e.About
	} else if s := problems.FindStudy(name); s != nil {
		about = s.About
	} else if m := problems.FindMeasured(name); m != nil {
		about = m.About
	} else {
		return "", fmt.Errorf("there is no example %s", name)
	}
	return strings.ToUpper(about[:1]) + about[1:], nil
}

// solved returns the answer to a problem, as a page takes it.
func solved(files map[string]string, main string) ([]byte, error) {
	session := (&page.Engine{}).Open()
	defer session.Close()
	for _, request := range []page.Request{{Do: "open", Files: files, Main: main}, {Do: "solve"}, {Do: "judge"}} {
		data, err := json.Marshal(request)
		if err != nil {
			return nil, err
		}
		if reply := session.Call(context.Background(), data, func(page.Event) {}); reply.Error != nil {
			return nil, fmt.Errorf("%s: %s", request.Do, reply.Error.Message)
		}
	}
	return session.Ship()
}

// compressedFrom is the size from which a file has a compressed copy.
const compressedFrom = 2048

// file writes a file and, where it pays, its compressed copy.
func (b *bundle) file(name string, data []byte) error {
	to := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return err
	}
	b.sizes[name] = [2]int{len(data), len(data)}
	if len(data) < compressedFrom {
		return nil
	}
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	b.sizes[name] = [2]int{len(data), small.Len()}
	return os.WriteFile(to+".gz", small.Bytes(), 0o644)
}

// manifest lists the files with their sizes, plain and compressed, and prints it.
func (b *bundle) manifest() error {
	type entry struct {
		Name       string `json:"name"`
		Bytes      int    `json:"bytes"`
		Compressed int    `json:"compressed"`
	}
	var list []entry
	for name, n := range b.sizes {
		list = append(list, entry{name, n[0], n[1]})
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range list {
		fmt.Printf("%-40s %9d %9d\n", e.Name, e.Bytes, e.Compressed)
	}
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	return b.file("manifest.json", data)
}
