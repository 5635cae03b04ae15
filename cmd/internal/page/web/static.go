package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// An asset is a static file.
type asset struct {
	kind    string // of its content
	tag     string
	content []byte
	small   func() []byte // compressed; nil where that does not help
}

// kinds are the types of content by the ending of a name. Those of the operating system may be wrong, and browsers do
// not run a module of the wrong type.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
	".toml": "text/plain; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".wasm": "application/wasm",
	".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
}

// leastToCompress is how many bytes are worth it.
const leastToCompress = 1 << 10

// readAssets reads all files, by the paths of their addresses.
func readAssets(files fs.FS) (map[string]*asset, error) {
	all := map[string]*asset{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		a := &asset{kind: kinds[path.Ext(name)], tag: hex.EncodeToString(sum[:8]), content: content}
		if a.kind == "" {
			a.kind = "application/octet-stream"
		}
		if compressible := !strings.HasPrefix(a.kind, "image/p") && !strings.HasPrefix(a.kind, "font/"); compressible && len(content) >= leastToCompress {
			a.small = sync.OnceValue(func() []byte { return compressed(content) })
		}
		all["/"+name] = a
		if path.Base(name) == "index.html" {
			all["/"+strings.TrimSuffix(name, "index.html")] = a
		}
		return nil
	})
	return all, err
}

func compressed(content []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// static sends a static file. A browser keeps it, but asks each time whether it has changed.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "a file can only be read")
		return
	}
	a := s.assets[r.URL.Path]
	if a == nil {
		refuse(w, http.StatusNotFound, "there is no such file")
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	content, tag := a.content, `"`+a.tag+`"`
	if a.small != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			content, tag = a.small(), `"`+a.tag+`-gzip"`
		}
	}
	h.Set("ETag", tag)
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(known), "W/") == tag {
			h.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Write(content) // the server leaves it out for HEAD
}

// takesGzip reads the field Accept-Encoding.
func takesGzip(field string) bool {
	for each := range strings.SplitSeq(field, ",") {
		name, weight, _ := strings.Cut(each, ";")
		weight = strings.ReplaceAll(weight, " ", "")
		if strings.TrimSpace(name) == "gzip" && weight != "q=0" && weight != "q=0.0" && weight != "q=0.00" && weight != "q=0.000" {
			return true
		}
	}
	return false
}
