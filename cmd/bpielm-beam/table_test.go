package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tableOf writes a table and opens it.
func tableOf(t *testing.T, text string) Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := openTable(context.Background(), "u.csv", path, "well")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// scanAll reads a table in chunks of a size, in any order and some of them twice, and returns the rows of each problem.
func scanAll(t *testing.T, table *Table, size int64) map[string]string {
	t.Helper()
	found := map[string]*gathered{}
	var chunks []Chunk
	table.chunks(0, size, func(c Chunk) { chunks = append(chunks, c) })
	rand.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	for _, c := range append(chunks, chunks[:(len(chunks)+1)/2]...) {
		if err := table.scan(context.Background(), c, func(p Part) {
			if found[p.Key] == nil {
				found[p.Key] = &gathered{key: p.Key}
			}
			found[p.Key].add(&p, 1<<40)
		}); err != nil {
			t.Fatal(err)
		}
	}
	rows := map[string]string{}
	f := Fleet{Tables: []Table{*table}, MaxBytes: 1 << 40}
	for key, g := range found {
		all, err := f.rows(context.Background(), g)
		if key == "" {
			rows[key] = err.Error()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		rows[key] = string(all[0])
	}
	return rows
}

// However a table is divided, and whatever is delivered twice, each problem gets its rows in their order, once.
func TestRowsDoNotDependOnChunks(t *testing.T) {
	var text strings.Builder
	text.WriteString("# heads of wells\nt, well ,value\n")
	want := map[string]string{}
	for i := range 400 {
		key, line := fmt.Sprint("w", rand.IntN(5)), ""
		switch i % 11 {
		case 0:
			line = fmt.Sprintf("%d,\"%s\",\"1.5\"", i, key)
		case 1:
			text.WriteString("\n   \n# a comment\n")
			fallthrough
		default:
			line = fmt.Sprintf("%d, %s ,%s", i, key, strings.Repeat("1", rand.IntN(30)))
		}
		end := "\n"
		if i%7 == 0 {
			end = "\r\n"
		}
		if i == 399 {
			end = "" // the last line has no end
		}
		text.WriteString(line + end)
		want[key] += line + "\n"
	}
	table := tableOf(t, text.String())
	for _, size := range []int64{1, 7, 100, 1000, 1 << 20} {
		if got := scanAll(t, &table, size); !maps.Equal(got, want) {
			t.Errorf("chunks of %d bytes: other rows", size)
		}
	}
}

// Rows that stand together are not sent, but found again; those that are scattered are sent.
func TestLargeProblemsAreReadWhereTheyStand(t *testing.T) {
	var text strings.Builder
	text.WriteString("well,t,value\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "a,%d,0.5\nb%d,1,2\n", i, i%1000)
	}
	for i := range 2000 {
		fmt.Fprintf(&text, "c,%d,0.5\n", i)
	}
	table := tableOf(t, text.String())
	want := scanAll(t, &table, 3) // chunks this small are sent
	if got := scanAll(t, &table, 1<<20); !maps.Equal(got, want) {
		t.Error("other rows")
	}
	sent := map[string]bool{}
	if err := table.scan(context.Background(), Chunk{0, 0, table.Files[0].Begin, table.Files[0].Size}, func(p Part) { sent[p.Key] = p.Rows != nil }); err != nil {
		t.Fatal(err)
	}
	if sent["a"] || sent["c"] || !sent["b1"] {
		t.Errorf("sent: a %v, c %v, b1 %v", sent["a"], sent["c"], sent["b1"])
	}
}

// A table that is not what it was is an error, not an answer.
func TestTablesThatChangeAreNoticed(t *testing.T) {
	text := "well,t,value\n" + strings.Repeat("a,1,2\n", 2000)
	for name, changed := range map[string]string{"shorter": text[:6000], "longer": text + "a,1,2\n", "other": strings.Replace(text, "a,1,2", "b,1,2", 1)} {
		table := tableOf(t, text)
		var part Part
		all := Chunk{0, 0, table.Files[0].Begin, table.Files[0].Size}
		if err := table.scan(context.Background(), all, func(p Part) { part = p }); err != nil || part.Rows != nil {
			t.Fatal(err, len(part.Rows))
		}
		if err := os.WriteFile(table.Files[0].Path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := table.read(context.Background(), &part)
		if input, is := errors.AsType[*inputError](err); !is || !strings.Contains(input.Error(), table.Files[0].Path) {
			t.Errorf("%s: read: %v", name, err)
		}
		if err := table.scan(context.Background(), all, func(Part) {}); name != "other" && err == nil {
			t.Errorf("%s: scanned", name)
		}
	}
}

// What cannot be a table is refused, with the reason.
func TestTablesThatAreRefused(t *testing.T) {
	folder := t.TempDir()
	for text, want := range map[string]string{
		"":                             "no line names a column well",
		"t,value\n1,2\n":               "no line names a column well",
		"well,t,well\na,1,b\n":         "two columns well",
		"\x1f\x8b\x08\x00":             "decompress it",
		"\xff\xfew\x00e\x00l\x00l\x00": "not a text in UTF-8",
	} {
		path := filepath.Join(folder, "table.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := openTable(context.Background(), "u.csv", path, "well"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v; want %q", text, err, want)
		}
	}
	for i, text := range []string{"well,t,value\n", "well,value,t\n"} {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".log")), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := openTable(context.Background(), "u.csv", filepath.Join(folder, "*.log"), "well"); err == nil || !strings.Contains(err.Error(), "its columns are not those of") {
		t.Error(err)
	}
}

// JSON lines have the problem as a text or a number.
func TestJSONLines(t *testing.T) {
	table := tableOf(t, `{"well": "a", "t": 1, "value": 2}`+"\n"+`{"t": 2, "well": 7, "value": 2}`+"\n"+`{"t": 2}`+"\n"+`{"well": `+"\n")
	got := scanAll(t, &table, 10)
	if len(got) != 3 || got["a"] == "" || got["7"] == "" || !strings.HasPrefix(got[""], "2 lines say of no problem") {
		t.Errorf("%q", got)
	}
}

// A line without end costs itself alone, and no memory.
func TestLongLines(t *testing.T) {
	table := tableOf(t, "well,t,value\na,1,2\nb,"+strings.Repeat("9", 3*maxLine)+"\na,3,4\n")
	for _, size := range []int64{1 << 19, 1 << 30} {
		if got := scanAll(t, &table, size); got["a"] != "a,1,2\na,3,4\n" || len(got) != 2 || !strings.Contains(got[""], "begins at byte 19 ") {
			t.Errorf("%.300q", got)
		}
	}
}

// As many files as are open at a time, and more, among them some without lines.
func TestMergedFilesAreSorted(t *testing.T) {
	for _, n := range []int{1, 5, 600} {
		folder := t.TempDir()
		var paths, want []string
		for i := range n {
			var keys []string
			for k := range (i % 5) * 3 {
				keys = append(keys, fmt.Sprintf("k%03d \"%d\"", (k*7+i*13)%50*5+i%5, i))
			}
			slices.Sort(keys)
			var text []byte
			for _, key := range keys {
				text = append(text, (&Line{Problem: key, Error: "problem"}).encode()...)
			}
			want = append(want, keys...)
			paths = append(paths, filepath.Join(folder, fmt.Sprint(i)))
			if err := os.WriteFile(paths[i], text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(want)
		var b bytes.Buffer
		if n, err := mergeAll(context.Background(), paths, filepath.ToSlash(folder), &b); err != nil || n != len(want) {
			t.Fatal(n, err)
		}
		var got []string
		for line := range strings.Lines(b.String()) {
			var l Line
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			got = append(got, l.Problem)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
