package browsertest

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A site is a page as somebody has it: its address, and what may be expected of its engine.
type site struct {
	kind     string // "native" or "wasm"
	address  string
	first    time.Duration // until the first picture; asserted three times as long, since machines differ
	previews float64       // a second, while a sensor is dragged; asserted a third
	infers   time.Duration // a full inference of the butterfly, with its verdict; asserted four times as long
}

func (s *site) native() bool { return s.kind == "native" }

// served starts `bpielm serve` and returns its page, and what writes to its standard input.
func served(t *testing.T, arguments ...string) (*site, io.WriteCloser) {
	t.Helper()
	needBrowser(t)
	server := exec.Command(program, append([]string{"serve"}, arguments...)...)
	server.Dir = root
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt)
		ended := make(chan error, 1)
		go func() { ended <- server.Wait() }()
		select {
		case err := <-ended:
			if err != nil || strings.Contains(said.String(), "panic") {
				t.Errorf("bpielm serve: %v\n%s", err, said.String())
			}
		case <-time.After(20 * time.Second):
			server.Process.Kill()
			t.Errorf("bpielm serve does not end after an interruption\n%s", said.String())
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("bpielm serve %s: %v\n%s", strings.Join(arguments, " "), err, said.String())
	}
	return &site{kind: "native", address: strings.TrimSpace(address), first: time.Second, previews: 30, infers: 5 * time.Second}, in
}

// static serves the bundle as a plain file server does, below a path. packed tells whether compressed files are sent where
// there are any, as some file servers do.
func static(t *testing.T, packed bool) *site {
	t.Helper()
	needBrowser(t)
	if *bundle == "" {
		t.Skip("without -static there is no page in WebAssembly")
	}
	var files http.Handler = http.FileServer(http.Dir(*bundle))
	if packed {
		files = sendsPacked(files)
	}
	server := httptest.NewServer(http.StripPrefix("/some/where", files))
	t.Cleanup(server.Close)
	return &site{kind: "wasm", address: server.URL + "/some/where/", first: 3 * time.Second, previews: 5, infers: 15 * time.Second}
}

// sendsPacked sends FILE.gz for FILE where it is there.
func sendsPacked(plain http.Handler) http.Handler {
	kinds := map[string]string{".wasm": "application/wasm", ".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if kind := kinds[filepath.Ext(name)]; kind != "" && filepath.IsLocal(name) {
			if data, err := os.ReadFile(filepath.Join(*bundle, name+".gz")); err == nil {
				w.Header().Set("Content-Type", kind)
				w.Header().Set("Content-Encoding", "gzip")
				w.Write(data)
				return
			}
		}
		plain.ServeHTTP(w, r)
	})
}

// everywhere runs a test natively and in WebAssembly.
func everywhere(t *testing.T, run func(t *testing.T, s *site)) {
	t.Run("native", func(t *testing.T) {
		s, _ := served(t)
		run(t, s)
	})
	t.Run("wasm", func(t *testing.T) { run(t, static(t, false)) })
}
