package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A log gets a line of progress after ten seconds and then every half minute, as plain text; with --quiet none.
func TestProgressInALog(t *testing.T) {
	log := func(quiet bool, tell func(*progress)) string {
		path := filepath.Join(t.TempDir(), "log")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		p := newProgress(file, quiet, "fitting")
		tell(p)
		p.finish()
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	twoMinutes := func(p *progress) {
		for s := range 121 {
			p.show(time.Duration(s)*time.Second, s, 240)
		}
	}
	want := "bpielm: fitting: 4 % after 10s\nbpielm: fitting: 17 % after 40s\nbpielm: fitting: 29 % after 1m10s\nbpielm: fitting: 42 % after 1m40s\n"
	if got := log(false, twoMinutes); got != want {
		t.Errorf("the log has %q, want %q", got, want)
	}
	if got := log(true, twoMinutes); got != "" {
		t.Errorf("with --quiet the log has %q", got)
	}
	if got := log(false, func(p *progress) { p.update(1, 2) }); got != "" {
		t.Errorf("after no time the log has %q", got)
	}
	var buffer bytes.Buffer
	newProgress(&buffer, false, "fitting").show(time.Hour, 1, 2)
	if buffer.Len() > 0 {
		t.Errorf("a program that calls this one gets %q", strings.TrimSpace(buffer.String()))
	}
}
