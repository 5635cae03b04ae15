package asm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The macros of neon_arm64.h encode instructions as numbers. This test has Go's assembler and
// disassembler tell what they are.
func TestWordsAreTheInstructionsTheyName(t *testing.T) {
	words := []struct{ macro, instruction string }{
		{"FMLA0(3, 17, 30)", "VFMLA V30.D[0], V17.D2, V3.D2"},
		{"FMLA0(31, 0, 15)", "VFMLA V15.D[0], V0.D2, V31.D2"},
		{"FMLA1(3, 17, 30)", "VFMLA V30.D[1], V17.D2, V3.D2"},
		{"FMLA1(31, 0, 15)", "VFMLA V15.D[1], V0.D2, V31.D2"},
		{"FMUL(3, 17, 30)", "FMUL V30.D2, V17.D2, V3.D2"},
		{"FADD(3, 17, 30)", "FADD V30.D2, V17.D2, V3.D2"},
		{"FSUB(3, 17, 30)", "FSUB V30.D2, V17.D2, V3.D2"},
		{"FADDP(3, 17)", "FADDP V17.D2, F3"},
		{"FMLA(3, 17, 30)", "VFMLA V30.D2, V17.D2, V3.D2"},
		{"FMLS(3, 17, 30)", "VFMLS V30.D2, V17.D2, V3.D2"},
		{"FDIV(3, 17, 30)", "FDIV V30.D2, V17.D2, V3.D2"},
		{"FMINNM(3, 17, 30)", "FMINNM V30.D2, V17.D2, V3.D2"},
		{"FMAXNM(3, 17, 30)", "FMAXNM V30.D2, V17.D2, V3.D2"},
		{"FABS(3, 17)", "FABS V17.D2, V3.D2"},
		{"FNEG(3, 17)", "FNEG V17.D2, V3.D2"},
		{"FCMEQ(3, 17, 30)", "VFCMEQ V30.D2, V17.D2, V3.D2"},
		{"FCMGE(3, 17, 30)", "VFCMGE V30.D2, V17.D2, V3.D2"},
		{"FCMGT(3, 17, 30)", "VFCMGT V30.D2, V17.D2, V3.D2"},
		{"SCVTF(3, 17)", "SCVTF V17.D2, V3.D2"},
		{"AND2(3, 17, 30)", "VAND V30.B16, V17.B16, V3.B16"},
		{"EOR2(3, 17, 30)", "VEOR V30.B16, V17.B16, V3.B16"},
		{"BIT2(3, 17, 30)", "VBIT V30.B16, V17.B16, V3.B16"},
		{"BIF2(3, 17, 30)", "VBIF V30.B16, V17.B16, V3.B16"},
		{"MOV2(3, 17)", "VMOV V17.B16, V3.B16"},
		{"ADD2(3, 17, 30)", "VADD V30.D2, V17.D2, V3.D2"},
		{"SUB2(3, 17, 30)", "VSUB V30.D2, V17.D2, V3.D2"},
		{"CMTST2(3, 17, 30)", "VCMTST V30.D2, V17.D2, V3.D2"},
		{"SHL2(3, 17, 52)", "VSHL $52, V17.D2, V3.D2"},
		{"USHR2(3, 17, 1)", "VUSHR $1, V17.D2, V3.D2"},
		{"LOADQ(3, 17, 5)", "FMOVQ 80(R17), F3"},
		{"LOADQ(28, 31, 1+2)", "FMOVQ 48(RSP), F28"},
		{"STOREQ(3, 17, 5)", "FMOVQ F3, 80(R17)"},
	}
	header, err := os.ReadFile("neon_arm64.h")
	if err != nil {
		t.Fatal(err)
	}
	source := string(header) + "TEXT ·words(SB), 4, $0\n"
	for _, w := range words {
		source += "\t" + w.macro + "\n"
	}
	source += "\tRET\n"
	for _, define := range regexp.MustCompile(`#define (\w+)\(`).FindAllStringSubmatch(string(header), -1) {
		if !strings.Contains(source, "\t"+define[1]+"(") {
			t.Errorf("%s is not tested", define[1])
		}
	}

	file, object := filepath.Join(t.TempDir(), "words_arm64.s"), filepath.Join(t.TempDir(), "words.o")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	goTool(t, "arm64", "asm", "-p", "words", "-o", object, file)
	listing := strings.Join(strings.Fields(goTool(t, "", "objdump", object)), " ")
	for i, w := range words {
		// Fields of a line: file:line, offset, word, instruction.
		line := fmt.Sprintf(`words_arm64\.s:%d 0x[0-9a-f]+ [0-9a-f]{8} %s `, strings.Count(string(header), "\n")+2+i, regexp.QuoteMeta(w.instruction))
		if !regexp.MustCompile(line).MatchString(listing + " ") {
			t.Errorf("%s is not %s in\n%s", w.macro, w.instruction, listing)
		}
	}
}

// goTool runs the go command's tools for an architecture.
func goTool(t *testing.T, architecture string, arguments ...string) string {
	t.Helper()
	return goCommand(t, architecture, append([]string{"tool"}, arguments...)...)
}

func goCommand(t *testing.T, architecture string, arguments ...string) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command found:", err)
	}
	command := exec.Command(path, arguments...)
	command.Env = os.Environ()
	if architecture != "" {
		command.Env = append(command.Env, "GOOS=linux", "GOARCH="+architecture)
	}
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// Where NEON cannot be timed, this much can be checked: the loops over a full tile are mostly
// multiply-adds, from packed panels and from operands in place, and nothing is spilled.
func TestInnerLoopsOfNEONAreMultiplyAdds(t *testing.T) {
	include := filepath.Join(strings.TrimSpace(goCommand(t, "", "env", "GOROOT")), "pkg", "include")
	for _, loop := range []struct {
		file, label string
		fmla        int
		share       float64 // of the instructions, at least
	}{
		{"strip_neon_arm64.s", "together6loop", 24, 0.6},
		{"strip_neon_arm64.s", "apart6loop", 24, 0.6},
	} {
		source, err := os.ReadFile(loop.file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(source), "\n")
		first := slices.Index(lines, loop.label+":")
		last := slices.IndexFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "\tCBNZ") && strings.HasSuffix(line, ", "+loop.label)
		})
		if first < 0 || last < first {
			t.Fatalf("no loop %s in %s", loop.label, loop.file)
		}
		folder := t.TempDir()
		object, header := filepath.Join(folder, "neon.o"), ""
		for _, field := range reflect.VisibleFields(reflect.TypeFor[Strip]()) { // as the compiler does
			header += fmt.Sprintf("#define Strip_%s %d\n", field.Name, field.Offset)
		}
		if err := os.WriteFile(filepath.Join(folder, "go_asm.h"), []byte(header), 0o666); err != nil {
			t.Fatal(err)
		}
		goTool(t, "arm64", "asm", "-I", include, "-I", folder, "-p", "neon", "-o", object, loop.file)
		instructions, fmla := 0, 0
		for _, line := range strings.Split(goTool(t, "", "objdump", object), "\n") {
			fields := strings.Fields(line) // file:line, offset, word, instruction
			if len(fields) < 4 {
				continue
			}
			_, number, _ := strings.Cut(fields[0], ":")
			if n, err := strconv.Atoi(number); err != nil || n <= first || n > last+1 {
				continue
			}
			instructions++
			if fields[3] == "VFMLA" {
				fmla++
			}
			if strings.HasPrefix(fields[3], "FSTP") || strings.Contains(line, "RSP") {
				t.Errorf("%s, loop %s: %s", loop.file, loop.label, line)
			}
		}
		if fmla != loop.fmla || float64(fmla) < loop.share*float64(instructions) {
			t.Errorf("%s, loop %s: %d of %d instructions are multiply-adds", loop.file, loop.label, fmla, instructions)
		}
		t.Logf("%s, loop %s: %d of %d instructions are multiply-adds", loop.file, loop.label, fmla, instructions)
	}
}
