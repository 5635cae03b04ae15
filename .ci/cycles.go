//go:build ignore

// cycles prints what LLVM's models of processors make of the inner loops of the NEON kernel, as they are in the built
// program: multiply-adds a cycle for products, cycles an element for elementary functions. The models assume that every
// load finds its data in the nearest cache.
//
//	go run .ci/cycles.go                          # Debian's llvm-19
//	go run .ci/cycles.go -llvm "" -cpus apple-m1  # llvm-mc and llvm-mca of other names have other models
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	suffix = flag.String("llvm", "-19", "what follows the names llvm-mc and llvm-mca of the programs to run")
	cpus   = flag.String("cpus", "cortex-a53,cortex-a55,cortex-a510,cortex-a57,cortex-a72,cortex-a76,neoverse-n1,neoverse-v1,neoverse-v2,apple-m1",
		"names of processors, as llvm-mca -mcpu=help lists them")
	list = flag.Bool("list", false, "print the instructions of the loops, too")
)

// loops are those of the assembly, from label to the branch back to it.
var loops = []struct {
	name, file, function, label string
	elements                    int // computed by an iteration; 0 to count its multiply-adds instead
}{
	{"peak, no loads", "strip_neon_arm64.s", "peakNEON", "loop", 0},
	{"product: 6 columns, rows of A adjacent", "strip_neon_arm64.s", "stripNEON", "together6loop", 0},
	{"5 columns", "strip_neon_arm64.s", "stripNEON", "together5loop", 0},
	{"4 columns", "strip_neon_arm64.s", "stripNEON", "together4loop", 0},
	{"3 columns", "strip_neon_arm64.s", "stripNEON", "together3loop", 0},
	{"2 columns", "strip_neon_arm64.s", "stripNEON", "together2loop", 0},
	{"1 column", "strip_neon_arm64.s", "stripNEON", "together1loop", 0},
	{"strip: 6 columns, rows of A apart", "strip_neon_arm64.s", "stripNEON", "apart6loop", 0},
	{"5 columns", "strip_neon_arm64.s", "stripNEON", "apart5loop", 0},
	{"4 columns", "strip_neon_arm64.s", "stripNEON", "apart4loop", 0},
	{"3 columns", "strip_neon_arm64.s", "stripNEON", "apart3loop", 0},
	{"2 columns", "strip_neon_arm64.s", "stripNEON", "apart2loop", 0},
	{"1 column", "strip_neon_arm64.s", "stripNEON", "apart1loop", 0},
	{"tanh", "functions_neon_arm64.s", "tanhNEON", "loop", 8},
	{"tanh and its derivative", "functions_neon_arm64.s", "tanhSech2NEON", "loop", 8},
	{"tanh and three derivatives", "functions_neon_arm64.s", "tanhJetNEON", "loop", 8},
	{"exp", "functions_neon_arm64.s", "expNEON", "loop", 8},
	{"sin", "functions_neon_arm64.s", "sinNEON", "loop", 8},
	{"log", "functions_neon_arm64.s", "logNEON", "loop", 8},
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	folder, err := os.MkdirTemp("", "cycles")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "asm.test")
	run("", "env", "GOOS=linux", "GOARCH=arm64", "go", "test", "-c", "-o", program, "./mat/asm")

	names := strings.Split(*cpus, ",")
	fmt.Printf("| | %s |\n| ---%s |\n", strings.Join(names, " | "), strings.Repeat(" | ---:", len(names)))
	for _, loop := range loops {
		text := instructions(program, loop.file, loop.function, loop.label)
		if *list {
			fmt.Fprintf(os.Stderr, "%s, %s\n%s\n", loop.function, loop.label, text)
		}
		fmt.Printf("| %s |", loop.name)
		for _, name := range names {
			if cycles := cycles(name, text); loop.elements > 0 {
				fmt.Printf(" %.1f |", cycles/float64(loop.elements))
			} else {
				fmt.Printf(" %.2f |", float64(strings.Count(text, "fmla"))/cycles)
			}
		}
		fmt.Println()
	}
}

// run returns what a command prints, given its input.
func run(input, name string, arguments ...string) string {
	command := exec.Command(name, arguments...)
	command.Stdin, command.Stderr = strings.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		log.Fatalf("%s %s: %v", name, strings.Join(arguments, " "), err)
	}
	return string(output)
}

var (
	// A line of go tool objdump: file, line, address, word, and the offset of a conditional branch in words.
	listed = regexp.MustCompile(`(?m)^ *(\w+\.s):(\d+)\s+0x([0-9a-f]+)\s+([0-9a-f]{8})\s.*?(?:(-\d+)\(PC\))?\s*$`)
	total  = regexp.MustCompile(`Total Cycles: +(\d+)`)
)

// instructions disassembles the loop of a function that begins at a label, in the syntax of LLVM.
func instructions(program, file, function, label string) string {
	line := lineOf(file, function, label)
	words := ""
	for _, field := range listed.FindAllStringSubmatch(run("", "go", "tool", "objdump", "-s", `\.`+function+`\b`, program), -1) {
		number, err := strconv.Atoi(field[2])
		if err != nil {
			log.Fatal(err)
		}
		if field[1] != file || number <= line {
			continue
		}
		word, err := strconv.ParseUint(field[4], 16, 32)
		if err != nil {
			log.Fatal(err)
		}
		if word == 0xd503201f && words == "" { // a NOP of PCALIGN
			continue
		}
		for range 4 { // little-endian
			words += fmt.Sprintf("%#x ", word&0xff)
			word >>= 8
		}
		if field[5] != "" {
			if back := fmt.Sprint(1 - strings.Count(words, " ")/4); field[5] != back {
				log.Fatalf("%s:%d: the branch goes by %s instructions, not %s", file, number, field[5], back)
			}
			return run(words, "llvm-mc"+*suffix, "-triple=aarch64", "-disassemble")
		}
	}
	log.Fatalf("%s: no branch back to %s of %s", file, label, function)
	return ""
}

// lineOf returns the number of a label's line.
func lineOf(file, function, label string) int {
	source, err := os.ReadFile(filepath.Join("mat/asm", file))
	if err != nil {
		log.Fatal(err)
	}
	within := false
	for i, line := range strings.Split(string(source), "\n") {
		within = within && !strings.HasPrefix(line, "TEXT") || strings.HasPrefix(line, "TEXT ·"+function+"(")
		if within && line == label+":" {
			return i + 1
		}
	}
	log.Fatalf("%s: no label %s in %s", file, label, function)
	return 0
}

// cycles returns those of an iteration.
func cycles(cpu, text string) float64 {
	const iterations = 1000
	summary := run(text, "llvm-mca"+*suffix, "-mtriple=aarch64", "-mcpu="+cpu, "-iterations="+fmt.Sprint(iterations), "-instruction-info=false", "-resource-pressure=false")
	n, err := strconv.Atoi(total.FindStringSubmatch(summary)[1])
	if err != nil {
		log.Fatal(err)
	}
	return float64(n) / iterations
}
