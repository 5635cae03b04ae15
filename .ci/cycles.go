//go:build ignore

// cycles prints what models of processors make of the inner loops of the NEON kernel, as they are in the built program:
// multiply-adds a cycle for products, cycles an element for elementary functions. The models assume that every load finds
// its data in the nearest cache. They are LLVM's, and two sets of rules for in-order processors: see inOrder.
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

	type model struct {
		name   string
		cycles func(text string) float64
	}
	models := []model{
		{"A53, rules", func(text string) float64 { return inOrder("cortex-a53", false, text) }},
		{"A55, rules", func(text string) float64 { return inOrder("cortex-a55", true, text) }},
	}
	for _, cpu := range strings.Split(*cpus, ",") {
		models = append(models, model{cpu, func(text string) float64 { return ofLLVM(cpu, text) }})
	}
	heading := "|"
	for _, m := range models {
		heading += " | " + m.name
	}
	fmt.Printf("%s |\n| ---%s |\n", heading, strings.Repeat(" | ---:", len(models)))
	for _, loop := range loops {
		text := instructions(program, loop.file, loop.function, loop.label)
		if *list {
			fmt.Fprintf(os.Stderr, "%s, %s\n%s\n", loop.function, loop.label, text)
		}
		fmt.Printf("| %s |", loop.name)
		for _, m := range models {
			if cycles := m.cycles(text); loop.elements > 0 {
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

// ofLLVM returns the cycles of an iteration by LLVM's model of a processor.
func ofLLVM(cpu, text string) float64 {
	const iterations = 1000
	n, err := strconv.Atoi(total.FindStringSubmatch(mca(cpu, text, iterations))[1])
	if err != nil {
		log.Fatal(err)
	}
	return float64(n) / iterations
}

func mca(cpu, text string, iterations int) string {
	return run(text, "llvm-mca"+*suffix, "-mtriple=aarch64", "-mcpu="+cpu, "-iterations="+fmt.Sprint(iterations), "-resource-pressure=false")
}

var (
	// Columns of llvm-mca's table of instructions: micro-operations, latency, cycles that the unit is busy, three marks, instruction.
	timed    = regexp.MustCompile(`(?m)^ \d+ +(\d+) +([\d.]+)[ *U]+([a-z][a-z0-9.]*)\t?(.*)$`)
	register = regexp.MustCompile(`\b(?:[vqd]\d+|[xw]\d+|sp)\b`)
)

// inOrder returns the cycles of an iteration on a processor that issues two instructions a cycle in the order of the
// program, by rules that others measured:
//
//   - one vector instruction is issued a cycle;
//   - 128 bits are loaded alone, in two cycles, and two registers of them in four;
//   - 64 bits are loaded in one cycle, beside a vector instruction on Cortex-A55 but not on Cortex-A53.
//
// They are those of ncnn (docs/developer-guide/arm-a53-a55-dual-issue.md), and SLOTHY's model of Cortex-A55 agrees on the
// first two. Latencies, and how long a division takes, are LLVM's. In LLVM's own in-order models 128 bits are loaded as fast
// as 64, and an instruction waits until its result cannot overtake that of an earlier one: a load or an addition of
// integers right after a multiply-add waits for six cycles on Cortex-A53, where it really goes beside it.
func inOrder(cpu string, besideVector bool, text string) float64 {
	type instruction struct {
		vector, load, division bool
		alone                  int // cycles without another instruction; 0 if it may have one beside it
		latency, busy          int
		reads, writes          []string
	}
	var program []instruction
	for _, field := range timed.FindAllStringSubmatch(mca(cpu, text, 1), -1) {
		latency, err := strconv.Atoi(field[1])
		if err != nil {
			log.Fatal(err)
		}
		busy, err := strconv.ParseFloat(field[2], 64)
		if err != nil {
			log.Fatal(err)
		}
		name, operands := field[3], field[4]
		var registers []string
		for _, r := range register.FindAllString(operands, -1) {
			registers = append(registers, strings.NewReplacer("q", "v", "d", "v", "w", "x").Replace(r))
		}
		x := instruction{latency: latency, busy: int(busy), division: name == "fdiv", reads: registers}
		quad := strings.HasPrefix(operands, "q")
		written := 1
		switch {
		case strings.HasPrefix(name, "str"): // of 128 bits: it uses the vector units, too
			x.vector, x.load, written = true, true, 0
		case name == "ldp" && quad:
			x.load, x.alone, written = true, 4, 2
		case name == "ldr":
			x.load = true
			if quad {
				x.alone = 2
			}
		case strings.HasPrefix(name, "ld"), strings.HasPrefix(name, "st"):
			log.Fatalf("no rule for %s %s", name, operands)
		case strings.HasPrefix(name, "cb"), strings.HasPrefix(name, "b."):
			written = 0
		default:
			x.vector = strings.HasPrefix(operands, "v")
		}
		x.writes = registers[:written]
		switch name {
		case "fmla", "fmls", "bit", "bif": // they read what they write
		default:
			x.reads = registers[written:]
		}
		program = append(program, x)
	}

	const warm, iterations = 10, 30
	ready := make(map[string]int) // the cycle in which a register can be read
	now, divider, start := 0, 0, 0
	var issued []instruction // in this cycle
	next := func() { now, issued = now+1, nil }
	for i := range iterations {
		if i == warm {
			start = now
		}
		for _, x := range program {
			for waits := true; waits; {
				waits = x.division && now < divider || len(issued) == 2 || x.alone > 0 && len(issued) > 0
				for _, r := range x.reads {
					waits = waits || now < ready[r]
				}
				for _, y := range issued {
					waits = waits || x.vector && y.vector || x.load && y.load ||
						!besideVector && (x.load && y.vector || x.vector && y.load)
				}
				if waits {
					next()
				}
			}
			for _, r := range x.writes {
				ready[r] = now + max(x.latency, x.alone+1)
			}
			if x.division {
				divider = now + x.busy
			}
			issued = append(issued, x)
			for range x.alone {
				next()
			}
		}
	}
	return float64(now-start) / (iterations - warm)
}
