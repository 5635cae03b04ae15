package asm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The macros of neon_arm64.h are instructions written as numbers. This test lets
// Go's assembler and disassembler say what they are.
func TestWordsAreTheInstructionsTheyName(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command:", err)
	}
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
	run := func(architecture string, arguments ...string) string {
		command := exec.Command(goTool, append([]string{"tool"}, arguments...)...)
		command.Env = os.Environ()
		if architecture != "" {
			command.Env = append(command.Env, "GOOS=linux", "GOARCH="+architecture)
		}
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go tool %s: %v\n%s", strings.Join(arguments, " "), err, output)
		}
		return string(output)
	}
	run("arm64", "asm", "-p", "words", "-o", object, file)
	listing := strings.Join(strings.Fields(run("", "objdump", object)), " ")
	for i, w := range words {
		// Fields of a line: file:line, offset, word, instruction.
		line := fmt.Sprintf(`words_arm64\.s:%d 0x[0-9a-f]+ [0-9a-f]{8} %s `, strings.Count(string(header), "\n")+2+i, regexp.QuoteMeta(w.instruction))
		if !regexp.MustCompile(line).MatchString(listing + " ") {
			t.Errorf("%s is not %s in\n%s", w.macro, w.instruction, listing)
		}
	}
}
