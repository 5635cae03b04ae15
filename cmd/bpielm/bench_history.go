package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bpielm/bpielm/bench/history"
	"github.com/bpielm/bpielm/bench/regress"
	"github.com/bpielm/bpielm/cmd/internal/format"
	"github.com/bpielm/bpielm/cmd/internal/results"
)

//go:embed history.html
var historyTemplateText string

var historyTemplate = template.Must(template.New("history").Parse(historyTemplateText))

// checkHistory refuses a file that exists and is no history: minutes of measuring would be
// lost, or the file spoiled.
func checkHistory(path string) error {
	if folder := filepath.Dir(path); !isFolder(folder) {
		return refuse("%s: there is no folder %s", path, folder)
	}
	info, err := os.Stat(path)
	if os.IsNotExist(err) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil
	}
	_, _, err = history.Read(path)
	return err
}

// appendTo adds a run to the history, if one is asked for.
func (c *benchCommand) appendTo(w io.Writer, run *regress.Run) error {
	if c.Append == "" {
		return nil
	}
	if err := history.Append(c.Append, history.Of(run)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", c.Append)
	return err
}

// draw writes the page of the history, if one is asked for.
func (c *benchCommand) draw(to *streams) error {
	if c.HTML == "" {
		return nil
	}
	path := c.History
	if path == "" {
		path = c.Append
	}
	entries, broken, err := history.Read(path)
	if err != nil {
		return err
	}
	for _, line := range broken {
		fmt.Fprintf(to.err, "bpielm: %s\n", oneLine(fmt.Errorf("%s:%s", path, notWhole(line))))
	}
	var text bytes.Buffer
	if err := historyTemplate.Execute(&text, newHistoryPage(entries, broken)); err != nil {
		return err
	}
	if err := results.WriteFile(c.HTML, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(to.out, c.HTML)
	return err
}

// notWhole says why a line of a history is missing.
func notWhole(line int) string {
	return fmt.Sprintf("%d: it is not whole, as an interrupted run leaves it, and is left out", line)
}

// historyPage is what the template shows. Text is escaped by the template.
type historyPage struct {
	Title, Runs, First, Last, Method string
	Broken                           []string
	Changes                          []historyChange
	More                             string
	Data                             historyData
}

type historyChange struct {
	Series                int
	Figure                string // its name in historySeries
	Name, What, Percent   string
	Date, Commit, Machine string
	Worse                 bool
	size                  float64
}

// historyData is the JSON that the page draws from.
type historyData struct {
	Machines []string        `json:"machines"`
	Runs     []historyRun    `json:"runs"`
	Series   []historySeries `json:"series"`
}

type historyRun struct {
	Date   string `json:"date"`
	Commit string `json:"commit"`
}

// historySeries has an element for each run of a benchmark on a machine.
type historySeries struct {
	Machine int                     `json:"machine"`
	Name    string                  `json:"name"`
	Kernel  string                  `json:"kernel"`
	Threads int                     `json:"threads"`
	Run     []int                   `json:"run"`
	Ns      []float64               `json:"ns"`
	Cost    []float64               `json:"cost"`
	Spread  []float64               `json:"spread"`
	Peak    []float64               `json:"peak"`
	Allocs  []float64               `json:"allocs"`
	Memory  []float64               `json:"memory"`
	Changes map[string][][2]float64 `json:"changes"` // by figure: the place of the run, and the ratio
}

// changeMethod says how changes are found, as package history does.
const changeMethod = `Levels are constant between changes. Levels and changes are those with the smallest sum of min((log x − level)², (3 sd)²) over the runs, and of (9 + 3 log n) sd² for each change, where n is the number of runs: the penalised biweight loss of Fearnhead and Rigaill (JASA 114, 2019). The standard deviation sd comes from the median absolute difference of neighbouring runs, is widened for few runs, and is at least 0.5 %. One or two runs are never a level of their own. Of a change of 5 % in noise of 1.5 %, nine in ten are found six runs later. Of series without a change, one in a hundred has one after six runs, one in a thousand after forty.`

// mostChanges is how many changes the table lists.
const mostChanges = 100

func newHistoryPage(entries []history.Entry, broken []int) *historyPage {
	const layout = "2006-01-02T15:04:05Z"
	p := &historyPage{Title: "bpielm: benchmarks over commits", Method: changeMethod, Runs: format.Count(len(entries), "run")}
	for _, line := range broken {
		p.Broken = append(p.Broken, "Line "+notWhole(line)+".")
	}
	all := history.Sort(entries)
	runs, machines := map[*history.Entry]int{}, map[string]int{}
	var dates []string
	for i := range entries {
		e := &entries[i]
		runs[e] = i
		p.Data.Runs = append(p.Data.Runs, historyRun{e.Date.UTC().Format(layout), format.Clipped(format.Printable(e.Machine.Commit), 80)})
		dates = append(dates, e.Date.UTC().Format("2006-01-02"))
	}
	p.First, p.Last = slices.Min(dates), slices.Max(dates)
	for index, s := range all {
		if _, known := machines[s.Machine]; !known {
			machines[s.Machine] = len(machines)
			p.Data.Machines = append(p.Data.Machines, s.Machine)
		}
		h := historySeries{Machine: machines[s.Machine], Name: s.Name, Kernel: s.Kernel, Threads: s.Threads, Cost: s.Cost(), Allocs: s.Allocations(), Memory: s.Memory(), Changes: map[string][][2]float64{}}
		for i, r := range s.Results {
			h.Run = append(h.Run, runs[s.Entries[i]])
			h.Ns, h.Spread, h.Peak = append(h.Ns, r.Nanoseconds), append(h.Spread, r.Spread), append(h.Peak, r.Peak)
		}
		for _, figure := range []struct {
			key, what string
			values    []float64
			listed    bool
		}{{"cost", "time", h.Cost, true}, {"memory", "peak memory", h.Memory, true}, {"allocs", "allocations", h.Allocs, true}, {"ns", "", h.Ns, false}} {
			for _, c := range history.Changes(figure.values) {
				h.Changes[figure.key] = append(h.Changes[figure.key], [2]float64{float64(c.At), c.Ratio})
				if !figure.listed { // it follows the speed of the machine
					continue
				}
				name := s.Name
				if s.Threads > 1 {
					name += ", " + format.Count(s.Threads, "thread")
				}
				run := p.Data.Runs[h.Run[c.At]]
				p.Changes = append(p.Changes, historyChange{
					Series: index, Figure: figure.key, Name: name + ", " + s.Kernel, What: figure.what,
					Percent: fmt.Sprintf("%+.1f %%", 100*(c.Ratio-1)), Worse: c.Ratio > 1, size: math.Abs(math.Log(c.Ratio)),
					Date: run.Date[:10], Commit: shortCommit(run.Commit), Machine: s.Machine,
				})
			}
		}
		p.Data.Series = append(p.Data.Series, h)
	}
	slices.SortStableFunc(p.Changes, func(a, b historyChange) int { // the latest first, of these the largest
		if c := strings.Compare(b.Date, a.Date); c != 0 {
			return c
		}
		switch {
		case a.size > b.size:
			return -1
		case a.size < b.size:
			return 1
		}
		return 0
	})
	if n := len(p.Changes); n > mostChanges {
		p.More = fmt.Sprintf("%d earlier or smaller ones are in the charts only.", n-mostChanges)
		p.Changes = p.Changes[:mostChanges]
	}
	return p
}

// shortCommit shortens the hash of a commit, and keeps what follows it.
func shortCommit(commit string) string {
	hash, rest, found := strings.Cut(commit, "+")
	if len(hash) == 40 {
		hash = hash[:12]
	}
	if found {
		return hash + "+" + rest
	}
	return hash
}
