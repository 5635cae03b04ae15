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
