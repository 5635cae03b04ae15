package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// resultsOf solves a problem whose texts try to become HTML, and returns its folder.
func resultsOf(t *testing.T, formats string) string {
	t.Helper()
	problem := writeExample(t, "inverse-poisson")
	edit(t, problem, `title = "Poisson equation with two unknown source strengths"`, `title = "</title><script>alert('title')</script><img src=x onerror=alert(1)> & \"quotes\""`)
	edit(t, problem, `file = "sensors.csv"`, `file = "<b>sensors.csv"`)
	directory := filepath.Dir(problem)
	if err := os.Rename(filepath.Join(directory, "sensors.csv"), filepath.Join(directory, "<b>sensors.csv")); err != nil {
		t.Skip("this file system has no such names")
	}
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "solve", problem, "--quiet", "--out", out, "--formats="+formats, "--set=features.neurons=60", "--set=output.grid=[21]")
	return out
}

var tags = regexp.MustCompile(`<[a-zA-Z!/][^>]*>`)

func TestReportIsOnePage(t *testing.T) {
	for _, formats := range []string{"png", "png,svg,pdf", "pdf"} {
		out := resultsOf(t, formats)
		path := filepath.Join(out, "report.html")
		if printed := succeed(t, "report", out); printed != path+"\n" {
			t.Errorf("prints %q", printed)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for _, want := range []string{
			"&lt;/title&gt;&lt;script&gt;alert(&#39;title&#39;)&lt;/script&gt;", "&lt;b&gt;sensors.csv", "lambda2", "Sound:", "u_xx &#43; sin(0.7*x)*lambda1", "20 readings",
			"95 % interval", "passed", `Content-Security-Policy" content="default-src 'none'; img-src data:`, "prefers-color-scheme: dark", "@media print", "width=device-width", "farthest from what the others predict", "compare it between files with the same readings and stated priors only",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: there is no %q", formats, want)
			}
		}
		// Nothing that a user has written is a tag, and nothing refers to another file.
		for _, tag := range tags.FindAllString(text, -1) {
			switch name := strings.ToLower(strings.Trim(strings.Fields(tag)[0], "</>")); name {
			case "!doctype", "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "li", "div", "table", "tr", "th", "td", "code", "strong", "details", "summary", "figure", "figcaption", "img":
			default:
				t.Errorf("%s: tag %.60s", formats, tag)
			}
			if strings.HasPrefix(tag, "<img") && !strings.HasPrefix(tag, `<img src="data:image/`) || strings.Contains(tag, "href") || strings.Contains(tag, "url(") || strings.Contains(tag, "onerror") {
				t.Errorf("%s: %.60s", formats, tag)
			}
		}
		images := map[string]int{"png": 4, "png,svg,pdf": 4, "pdf": 0}[formats]
		if got := strings.Count(text, "<img "); got != images {
			t.Errorf("%s: %d images", formats, got)
		}
		if svg := strings.Contains(text, "data:image/svg&#43;xml;base64,") || strings.Contains(text, "data:image/svg+xml;base64,"); svg != strings.Contains(formats, "svg") {
			t.Errorf("%s: vector images: %v", formats, svg)
		}
		if listed := strings.Contains(text, "solution.pdf"); listed != (formats == "pdf") {
			t.Errorf("%s: PDF is mentioned: %v", formats, listed)
		}
		if again := succeed(t, "report", out, "-o", "-"); again != text {
			t.Errorf("%s: standard output is another page", formats)
		}
	}
}

// A report shows where further sensors would help, if that was asked after the problem was solved.
func TestReportShowsThePlaces(t *testing.T) {
	out := resultsOf(t, "png")
	candidates := write(t, t.TempDir(), "candidates.csv", "x\n-9\n0\n9\n")
	succeed(t, "place", filepath.Join(out, "model.bpielm"), candidates, "--out", out)
	if page := succeed(t, "report", out, "-o", "-"); strings.Count(page, "<img ") != 5 || !strings.Contains(page, "<figcaption>places of further sensors<") {
		t.Error("the report does not show places.png")
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(filepath.Join(out, placesPicture), yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	if page := succeed(t, "report", out, "-o", "-"); strings.Count(page, "<img ") != 4 || !strings.Contains(page, "places.png, which is older than the answer") {
		t.Error("the report shows a places.png of another answer, or says nothing of it")
	}
	write(t, out, placesPicture, "no picture")
	refused(t, []string{"report", out}, "places.png: not a picture")
}

func TestReportSaysWhatFails(t *testing.T) {
	problem := writeExample(t, "inverse-poisson")
	edit(t, problem, "sigma = 0.05", "sigma = 0.001")
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "solve", problem, "--quiet", "--out", out, "--set=features.neurons=60")
	page := succeed(t, "report", out, "-o", "-")
	if !strings.Contains(page, "Not to be trusted as it stands:") || strings.Contains(page, "Sound:") {
		t.Error("a bad verdict is not shown")
	}
}

// What is not a results folder, or one that leads elsewhere, is refused, and nothing is
// written.
func TestReportRefuses(t *testing.T) {
	out := resultsOf(t, "png")
	before := len(listing(t, out))
	summary := filepath.Join(out, "summary.json")
	original, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	with := func(files ...string) string {
		var object map[string]any
		if err := json.Unmarshal(original, &object); err != nil {
			t.Fatal(err)
		}
		object["files"] = files
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write(t, filepath.Dir(out), "secret.png", "secret")
	for _, c := range []struct{ summary, want string }{
		{"", "not a summary"},
		{"{}", "not a summary"},
		{`{"problem": 3}`, "not a summary"},
		{with("../secret.png"), "is not a file of the folder"},
		{with("/etc/passwd.png"), "is not a file of the folder"},
		{with("missing.png"), "missing.png: no such file"},
		{with("model.png"), "model.png"},
	} {
		write(t, out, "summary.json", c.summary)
		refused(t, []string{"report", out}, c.want)
	}
	write(t, out, "summary.json", with("solution.png", "readings.csv"))
	for name, content := range map[string]string{"solution.png": "<svg onload=alert(1)>", "readings.csv": "a,b\n1,2,3\n"} {
		kept, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, out, name, content)
		refused(t, []string{"report", out}, name)
		write(t, out, name, string(kept))
	}
	refused(t, []string{"report", t.TempDir()}, "summary.json", "bpielm solve --out")
	if after := len(listing(t, out)); after != before {
		t.Errorf("%d files became %d", before, after)
	}
}
