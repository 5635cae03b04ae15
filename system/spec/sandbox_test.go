package spec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sandboxed = "[variables]\nx = [0, 1]\n[[equation]]\npde = \"u_x = 1\"\npoints = 10\n[[sensors]]\nfile = \"FILE\"\nsigma = 1\n"

// A sandbox reads what is below the problem's folder, and nothing else: not by a path, not by a link.
func TestASandboxReadsItsFolder(t *testing.T) {
	outside := directory(t, map[string]string{"secret.csv": "x,value\n0,1\n1,2\n"})
	inside := directory(t, map[string]string{"s.csv": "x,value\n0,1\n1,2\n"})
	if err := os.Mkdir(filepath.Join(inside, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret.csv")
	for link, to := range map[string]string{"in.csv": "s.csv", "deep/in.csv": "../s.csv", "out.csv": secret, "folder": outside, "hop.csv": "out.csv"} {
		if err := os.Symlink(to, filepath.Join(inside, link)); err != nil {
			t.Skip(err)
		}
	}
	up, err := filepath.Rel(inside, secret)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(inside, "p.toml")
	for name, allowed := range map[string]bool{
		"s.csv": true, "in.csv": true, "deep/in.csv": true, "./deep/../s.csv": true, filepath.Join(inside, "s.csv"): true,
		"out.csv": false, "hop.csv": false, "folder/secret.csv": false, secret: false, filepath.ToSlash(up): false,
	} {
		problem := strings.Replace(sandboxed, "FILE", filepath.ToSlash(name), 1)
		if err := os.WriteFile(path, []byte(problem), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, nil); err != nil {
			t.Errorf("without a sandbox %s: %v", name, err)
		}
		_, err := ReadSandboxed(path, nil, Limits{})
		var e *Error
		switch {
		case allowed && err != nil:
			t.Errorf("%s: %v", name, err)
		case !allowed && (!errors.As(err, &e) || e.File != path || e.Line != 7 || !strings.Contains(err.Error(), "not below the problem's folder")):
			t.Errorf("%s: error %v", name, err)
		}
	}
	// The problem file itself may be no link out of its folder either.
	link := filepath.Join(inside, "q.toml")
	if err := os.WriteFile(filepath.Join(outside, "p.toml"), []byte(strings.Replace(sandboxed, "FILE", "secret.csv", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "p.toml"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSandboxed(link, nil, Limits{}); err == nil || !strings.Contains(err.Error(), "not below the problem's folder") {
		t.Errorf("a problem file that is a link: %v", err)
	}
	if _, err := ReadSandboxed(filepath.Join(inside, "none", "p.toml"), nil, Limits{}); err == nil {
		t.Error("there is no such folder")
	}
}

// Limits hold for all that a problem asks for together; within them it is read as without.
func TestLimits(t *testing.T) {
	readings := "x,value\n" + strings.Repeat("0.5,1\n", 20)
	for _, c := range []struct {
		problem, want string
		limits        Limits
	}{
		{sandboxed, "p.toml:5: equation.points: with what stands before it these are 10 points and rows; at most 9 are allowed", Limits{Points: 9}},
		{sandboxed, "s.csv:11: with what stands before it these are 20 points and rows; at most 19 are allowed", Limits{Points: 19}},
		{sandboxed + "[output]\ngrid = [70]\n", "p.toml:10: output.grid: with what stands before it these are 100 points and rows; at most 99 are allowed", Limits{Points: 99}},
		{strings.Replace(sandboxed, "points = 10", "grid = [50]", 1), "p.toml:5: equation.grid: with what stands before it these are 50 points", Limits{Points: 49}},
		{strings.Replace(sandboxed, "points = 10", "points = 1\nrefine = 10", 1), "p.toml:6: equation.refine: with what stands before it these are 201 points", Limits{Points: 200}},
		{sandboxed + "[[condition]]\non = \"x = 0\"\nequals = \"u = 0\"\npoints = 5\n", "p.toml:12: condition.points: with what stands before it these are 15 points", Limits{Points: 14}},
		{strings.Repeat("#", 1000) + "\n" + sandboxed, "p.toml: with the files before it these are", Limits{Bytes: 999}},
		{sandboxed, "s.csv: with the files before it these are", Limits{Bytes: 200}},
		{sandboxed, "", Limits{Points: 431, Bytes: 1000}},
	} {
		path := filepath.Join(directory(t, map[string]string{"p.toml": strings.Replace(c.problem, "FILE", "s.csv", 1), "s.csv": readings}), "p.toml")
		for name, read := range map[string]func(string, []string, Limits) (*File, error){"limited": ReadLimited, "sandboxed": ReadSandboxed} {
			_, err := read(path, nil, c.limits)
			var e *Error
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &e) || !e.Limit || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %+v: error %v\n  want %s", name, c.limits, err, c.want)
			}
		}
	}
}

// An error quotes cells of tables, never of another file, which somebody may have named to see what is in it.
func TestNothingIsQuotedOfWhatIsNoTable(t *testing.T) {
	for _, secret := range []string{
		"root:*:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n", "8ad5f0c2secret\n", "TOKEN=secret\nx=1\n", "secret,words\nmore,words\n",
		"-----BEGIN KEY-----\nsecret\n", "x,value\nsecret,secret\n", "sep=secret,\nx;value\nsecret;word\n", "secret;word\nmore;2 words\n", "secret\tword\nmore\t2 words\n",
		"secret=1\nx,y\n2,secret\n", "#secret\nx,value\nsecret,word\n", "{\"x\": \"secret\", \"value\": 1}\n", "{\"secret\": 1}\n", "x value secret\n",
	} {
		for key, problem := range map[string]string{
			"sensors":  sandboxed,
			"equation": strings.Replace(strings.Replace(sandboxed, "points = 10", "file = \"FILE\"", 1), "file = \"FILE\"\nsigma", "file = \"s.csv\"\nsigma", 1),
			"tables":   "[tables]\nk = \"FILE\"\n" + sandboxed,
		} {
			path := filepath.Join(directory(t, map[string]string{
				"p.toml": strings.Replace(problem, "FILE", "named", 1), "named": secret, "s.csv": "x,value\n0,1\n",
			}), "p.toml")
			_, err := Read(path, nil)
			if err == nil {
				t.Errorf("%s: %q is accepted", key, secret)
			} else if text := err.Error(); strings.Contains(text, "secret") || strings.Contains(text, "root") || strings.Contains(text, "words") || strings.Contains(text, "TOKEN") {
				t.Errorf("%s: %s", key, text)
			}
		}
	}
}
