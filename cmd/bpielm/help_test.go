package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestWithoutAVerbTheProgramHelps(t *testing.T) {
	general := succeed(t, "--help")
	for _, args := range [][]string{nil, {"help"}} {
		if got := succeed(t, args...); got != general {
			t.Errorf("bpielm %v prints\n%s", args, got)
		}
	}
	if got := succeed(t, "help", "solve"); got != succeed(t, "solve", "--help") {
		t.Errorf("help solve prints\n%s", got)
	}
	if got := succeed(t, "help", "paper", "tables"); got != succeed(t, "paper", "tables", "--help") {
		t.Errorf("help paper tables prints\n%s", got)
	}
	refused(t, []string{"help", "dissolve"}, "dissolve", "problem")
	refused(t, []string{"help", "solve", "x"}, "solve x")
	refused(t, []string{"help", "problem", "sensors.sgima"}, "sensors.sigma")
	refused(t, []string{"help", "problem", "a", "b"}, "2 keys")
	refused(t, []string{"help", "--schema"}, "problem")
}

func TestHelpOfProblemFiles(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"help", "problem"}, "[[sensors]]"},
		{[]string{"help", "problem", "sigma"}, "sensors.sigma"},
		{[]string{"help", "problem", "--schema"}, `"$schema"`},
		{[]string{"help", "problem", "--markdown"}, "# The problem file"},
		{[]string{"help", "expressions"}, "atan2(y, x)"},
	} {
		if got := succeed(t, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("%v prints no %s", c.args, c.want)
		}
	}
}

// TestHelpFitsTheTerminal: no text of the help has more than 80 columns.
func TestHelpFitsTheTerminal(t *testing.T) {
	verbs := []string{"solve", "check", "compile", "assimilate", "place", "predict", "report", "example", "serve", "cpu", "calibrate", "bench", "paper", "paper tables", "paper figures", "completion", "manual", "help"}
	for _, verb := range append(verbs, "") {
		for l := range strings.Lines(succeed(t, append(strings.Fields(verb), "--help")...)) {
			if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > 80 {
				t.Errorf("%s --help: %d columns: %s", verb, n, l)
			}
		}
	}
}

// TestCompletionInBash asks bash itself.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	script := filepath.Join(t.TempDir(), "completion")
	if err := os.WriteFile(script, []byte(succeed(t, "completion", "bash")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, has, hasNot string }{
		{"bpielm so", "solve", "predict"},
		{"bpielm solve --st", "--strict", "--sandbox"},
		{"bpielm solve ", "", "--strict"},
		{"bpielm example poi", "poisson", "wall"},
		{"bpielm paper ", "tables", "solve"},
		{"bpielm paper tables --s", "--seeds", "solve"},
		{"bpielm help problem sensors.", "sensors.sigma", "fit"},
		{"bpielm help s", "solve", "predict"},
		{"bpielm completion f", "fish", "zsh"},
	} {
		words := strings.Split(c.line, " ")
		run := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bpielm; echo " ${COMPREPLY[*]} "`
		out, err := exec.Command(bash, append([]string{"-c", run, "bash", script}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", c.line, err, out)
		}
		if got := string(out); !strings.Contains(got, " "+c.has+" ") && c.has != "" || strings.Contains(got, " "+c.hasNot+" ") {
			t.Errorf("%q is completed by %q", c.line, got)
		}
	}
}

// TestCompletionOfOtherShells: where the shell is there, it accepts its script; each script knows every verb.
func TestCompletionOfOtherShells(t *testing.T) {
	for _, shell := range []string{"zsh", "fish"} {
		script := succeed(t, "completion", shell)
		for _, want := range []string{"solve", "assimilate", "figures", "max-memory", "poisson", "sensors.sigma"} {
			if !strings.Contains(script, want) {
				t.Errorf("the script for %s lacks %s", shell, want)
			}
		}
		if path, err := exec.LookPath(shell); err == nil {
			file := filepath.Join(t.TempDir(), shell)
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", shell, err, out)
			}
		}
	}
	refused(t, []string{"completion", "csh"}, "csh")
}

func TestManual(t *testing.T) {
	page := succeed(t, "manual")
	for _, want := range []string{".TH BPIELM 1", ".SS solve", `\-\-strict`, `.B \-o, \-\-out=`, ".SS paper tables", "Exit status"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	check := exec.Command(groff, "-man", "-Tascii", "-ww")
	check.Stdin = strings.NewReader(page)
	var complaints strings.Builder
	check.Stderr = &complaints
	if out, err := check.Output(); err != nil || complaints.Len() > 0 || !strings.Contains(string(out), "solve") {
		t.Errorf("groff: %v: %s", err, complaints.String())
	}
}

// TestOutHasAShortForm: -o is --out for every verb that has it.
func TestOutHasAShortForm(t *testing.T) {
	seen := 0
	for _, verb := range []string{"solve", "predict", "report", "compile", "assimilate", "place", "bench", "paper figures"} {
		help := succeed(t, append(strings.Fields(verb), "--help")...)
		if strings.Contains(help, "--out=") {
			seen++
			if !strings.Contains(help, "-o, --out=") {
				t.Errorf("%s has no -o", verb)
			}
		}
	}
	if seen < 8 {
		t.Errorf("%d verbs have --out", seen)
	}
}
