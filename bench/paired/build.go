package paired

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Repository is a working copy of the source of bpielm, in which versions are built.
type Repository struct {
	root   string
	folder string   // for programs and worktrees
	trees  []string // worktrees that are to be removed
}

// Error reports that a version cannot be built: git, the source or the compiler says why.
type Error struct {
	What string
	Err  error
}

func (e *Error) Error() string { return e.What + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

var moduleLine = regexp.MustCompile(`(?m)^module\s+github\.com/bpielm/bpielm\s*$`)

// Open finds the repository that a folder is in. Close it after use. It fails with a *Error.
func Open(ctx context.Context, folder string) (*Repository, error) {
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, &Error{program, errors.New("the program is needed, and it is not installed")}
		}
	}
	root, err := output(ctx, folder, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, &Error{"the current folder", err}
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !moduleLine.Match(text) {
		return nil, &Error{root, errors.New("it is not the source of bpielm, whose versions could be compared")}
	}
	temporary, err := os.MkdirTemp("", "bpielm-compare-")
	if err != nil {
		return nil, err
	}
	return &Repository{root: root, folder: temporary}, nil
}

// Close removes the worktrees and the programs.
func (r *Repository) Close() error {
	var first error
	for _, tree := range r.trees {
		if _, err := output(context.Background(), r.root, "git", "worktree", "remove", "--force", tree); err != nil && first == nil {
			first = &Error{tree, err}
		}
	}
	if err := os.RemoveAll(r.folder); first == nil {
		first = err
	}
	return first
}

// Version is a version of the program.
type Version struct {
	Name    string // as it was asked for, with the commit; or "the working tree"
	Program string // its path
}

// Build builds a commit in a worktree of its own, or the files as they are if commit is "".
// The paths in the program do not depend on the place, so that the same source makes the same
// program. It fails with a *Error, or with the cause of the end of ctx.
func (r *Repository) Build(ctx context.Context, commit string) (*Version, error) {
	v := &Version{Name: "the working tree"}
	source := r.root
	if commit != "" {
		hash, err := output(ctx, r.root, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
		if err != nil {
			return nil, &Error{commit, errors.New("it is not a commit of " + r.root)}
		}
		v.Name = fmt.Sprintf("%s (%.12s)", commit, hash)
		if strings.HasPrefix(hash, commit) {
			v.Name = fmt.Sprintf("%.12s", hash)
		}
		source = filepath.Join(r.folder, fmt.Sprintf("tree%d", len(r.trees)))
		r.trees = append(r.trees, source)
		if _, err := output(ctx, r.root, "git", "worktree", "add", "--quiet", "--detach", source, hash); err != nil {
			r.trees = r.trees[:len(r.trees)-1]
			return nil, &Error{commit, err}
		}
	}
	folder, err := os.MkdirTemp(r.folder, "program")
	if err != nil {
		return nil, err
	}
	v.Program = filepath.Join(folder, "bpielm")
	if runtime.GOOS == "windows" {
		v.Program += ".exe"
	}
	if _, err := output(ctx, source, "go", "build", "-trimpath", "-o", v.Program, "./cmd/bpielm"); err != nil {
		return nil, &Error{v.Name + " cannot be built", err}
	}
	return v, nil
}

// output runs a program in a folder and returns what it prints. An error has the last line of
// its complaints.
func output(ctx context.Context, folder, program string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if lines := strings.Split(strings.TrimSpace(complaints.String()), "\n"); lines[len(lines)-1] != "" {
			return "", errors.New(lines[len(lines)-1])
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}
