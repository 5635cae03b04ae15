package static

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// engineWorker is made by the command that makes the static site; a server needs none.
const engineWorker = "engine-worker.js"

var (
	imported = regexp.MustCompile(`(?m)(?:^import [^;]*?from |^import |\bimport\()'(\.[^']+)'`)
	asked    = regexp.MustCompile(`(?:src|href)="([^"#]+)"`)
	byID     = regexp.MustCompile(`(?:(?:\$\(|\bon\(|document\.querySelector\()'#|body\(')([a-z][a-z-]*)'`)
)

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := fs.ReadFile(Files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func each(t *testing.T, suffix string, f func(name, content string)) {
	t.Helper()
	found := 0
	err := fs.WalkDir(Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, suffix) && !d.IsDir() {
			found++
			f(name, read(t, name))
		}
		return err
	})
	if err != nil || found == 0 {
		t.Fatalf("%d files end in %s, %v", found, suffix, err)
	}
}

// A module that is missing would leave an empty page.
func TestWhatThePageAsksForIsEmbedded(t *testing.T) {
	each(t, ".js", func(name, content string) {
		for _, m := range imported.FindAllStringSubmatch(content, -1) {
			if target := path.Join(path.Dir(name), m[1]); target != engineWorker && !strings.HasPrefix(name, "engine-") {
				read(t, target)
			}
		}
	})
	for _, m := range asked.FindAllStringSubmatch(read(t, "index.html"), -1) {
		read(t, m[1])
	}
}

func TestTestsAreNotEmbedded(t *testing.T) {
	each(t, "", func(name, _ string) {
		if strings.Contains(name, ".test.") || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".go") {
			t.Errorf("%s is part of the page", name)
		}
	})
}

// The server forbids what an attacker could slip into a page, and what asks others.
func TestThePageKeepsToItsContentSecurityPolicy(t *testing.T) {
	page := read(t, "index.html")
	for _, forbidden := range []string{" style=", " onclick=", " onload=", "<style", "javascript:"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("index.html has %q", forbidden)
		}
	}
	if regexp.MustCompile(`<script(?:[^>]*)>[^<]`).MatchString(page) {
		t.Error("index.html has a script of its own")
	}
	for _, suffix := range []string{".html", ".css", ".js"} {
		each(t, suffix, func(name, content string) {
			if m := regexp.MustCompile(`https?://[a-z0-9.]+`).FindString(content); m != "" && m != "http://www.w3.org" {
				t.Errorf("%s names %s", name, m)
			}
			for _, forbidden := range []string{"innerHTML", "eval(", "new Function", "document.write", "insertAdjacentHTML"} {
				if strings.Contains(content, forbidden) {
					t.Errorf("%s has %s", name, forbidden)
				}
			}
		})
	}
}

// An element that a module looks for and that has been renamed stops everything after it.
func TestElementsThatModulesLookForExist(t *testing.T) {
	page := read(t, "index.html")
	looked := 0
	each(t, ".js", func(name, content string) {
		for _, m := range byID.FindAllStringSubmatch(content, -1) {
			looked++
			if !strings.Contains(page, `id="`+m[1]+`"`) && !strings.Contains(content, `id: '`+m[1]+`'`) {
				t.Errorf("%s looks for #%s", name, m[1])
			}
		}
	})
	if looked < 30 {
		t.Errorf("only %d elements are looked for: the pattern misses them", looked)
	}
}
