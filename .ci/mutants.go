//go:build ignore

// mutants changes the code of packages in one small place at a time and lists the changes
// that their tests do not notice. It does not touch the working tree.
//
//	go run .ci/mutants.go -n 60 -seed 1 ./mat ./feature      # mutants at random places
//	go run .ci/mutants.go -at mat/gemm.go:32 ./mat           # all mutants of a line
//	go run .ci/mutants.go -n 40 -run 'File|Refine' ./posterior
//
// A surviving mutant is a line that needs a test, or it is equivalent to the original.
// Tests run with -short -failfast. A mutant that exceeds -timeout is reported as too slow: it
// loops forever, or the machine is busy.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	number  = flag.Int("n", 20, "number of mutants, at random places")
	seed    = flag.Uint64("seed", 1, "seed for the choice of places")
	at      = flag.String("at", "", "file:line,...: all mutants of these lines instead")
	not     = flag.String("not", "", "file,...: files to leave alone")
	run     = flag.String("run", "", "tests to run, as for go test")
	timeout = flag.Duration("timeout", 2*time.Minute, "limit for the tests of one mutant")
)

// mutant replaces the bytes [from, to) of a file by text.
type mutant struct {
	pack, file string
	line       int
	from, to   int
	text       string
}

// swapped pairs operators that are easily mistaken for each other.
var swapped = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC, token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// mutantsOf returns all mutants of a file.
func mutantsOf(pack, path string) ([]mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []mutant
	replace := func(from, to token.Pos, text string) {
		p := set.Position(from)
		all = append(all, mutant{pack, path, p.Line, p.Offset, set.Position(to).Offset, text})
	}
	operator := func(pos token.Pos, op token.Token) {
		if other, ok := swapped[op]; ok {
			replace(pos, pos+token.Pos(len(op.String())), other.String())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BinaryExpr:
			operator(n.OpPos, n.Op)
		case *ast.AssignStmt:
			operator(n.TokPos, n.Tok)
		case *ast.IncDecStmt:
			operator(n.TokPos, n.Tok)
		case *ast.BranchStmt:
			if n.Label == nil {
				operator(n.TokPos, n.Tok)
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT || n.Op == token.SUB {
				replace(n.OpPos, n.OpPos+1, "")
			}
		case *ast.IfStmt:
			replace(n.Cond.Pos(), n.Cond.End(), "("+string(source[set.Position(n.Cond.Pos()).Offset:set.Position(n.Cond.End()).Offset])+") && false")
		case *ast.ExprStmt:
			if _, call := n.X.(*ast.CallExpr); call {
				replace(n.Pos(), n.End(), "")
			}
		case *ast.BasicLit:
			if i, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
				replace(n.Pos(), n.End(), strconv.Itoa(i+1))
			}
			if n.Kind == token.FLOAT {
				replace(n.Pos(), n.End(), "(2*"+n.Value+")")
			}
		}
		return true
	})
	return all, nil
}

// test runs the tests on a mutant and returns killed, too slow or survived, or "" if it does not build.
func test(m mutant, scratch string) (string, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(scratch, "mutant.go")
	text := string(source[:m.from]) + m.text + string(source[m.to:])
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{absolute: changed}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	if exec.Command("go", "build", "-o", os.DevNull, "-overlay", list, m.pack).Run() != nil {
		return "", nil
	}
	begin := time.Now()
	if exec.Command("go", "test", "-overlay", list, "-count=1", "-short", "-failfast", "-vet=off", "-timeout", timeout.String(), "-run", *run, m.pack).Run() != nil {
		if time.Since(begin) >= *timeout {
			return "too slow", nil
		}
		return "killed", nil
	}
	return "survived", nil
}

// collect returns the mutants of the packages, of which try tests the first *number.
func collect(packs []string) ([]mutant, error) {
	var all []mutant
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, pack := range packs {
		if exec.Command("go", "test", "-short", "-run", *run, pack).Run() != nil {
			return nil, fmt.Errorf("the tests of %s fail before anything is changed", pack)
		}
		listed, err := exec.Command("go", "list", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, pack).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pack, err)
		}
		for path := range strings.FieldsSeq(string(listed)) {
			if path, err = filepath.Rel(root, path); err != nil {
				return nil, err
			}
			if slices.Contains(strings.Split(*not, ","), path) {
				continue
			}
			found, err := mutantsOf(pack, path)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	if *at != "" {
		places := strings.Split(*at, ",")
		all = slices.DeleteFunc(all, func(m mutant) bool { return !slices.Contains(places, fmt.Sprintf("%s:%d", m.file, m.line)) })
		*number = len(all)
	} else {
		rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all, nil
}

// try tests mutants and reports their outcomes.
func try() error {
	all, err := collect(flag.Args())
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	count := map[string]int{}
	for _, m := range all {
		if count["killed"]+count["too slow"]+count["survived"] == *number {
			break
		}
		outcome, err := test(m, scratch)
		if err != nil {
			return err
		}
		count[outcome]++
		if outcome == "" {
			continue
		}
		source, err := fs.ReadFile(os.DirFS("."), m.file)
		if err != nil {
			return err
		}
		line := strings.TrimSpace(strings.Split(string(source), "\n")[m.line-1])
		fmt.Printf("%-8s %s:%d: %q becomes %q in %s\n", outcome, m.file, m.line, source[m.from:m.to], m.text, line)
	}
	fmt.Printf("%d killed, %d too slow, %d survived\n", count["killed"], count["too slow"], count["survived"])
	return nil
}

func main() {
	flag.Parse()
	if err := try(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
