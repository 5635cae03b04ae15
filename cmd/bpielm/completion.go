package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bpielm/bpielm/bench/problems"
	"github.com/bpielm/bpielm/system/spec"
)

// completionCommand is `bpielm completion`.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help adds to the verb's usage text.
func (*completionCommand) Help() string {
	return `The script completes verbs, flags, the names of examples and, after help problem, the keys of problem files.

Examples:
  source <(bpielm completion bash)          # in ~/.bashrc
  source <(bpielm completion zsh)           # in ~/.zshrc, after compinit
  bpielm completion fish > ~/.config/fish/completions/bpielm.fish`
}

// Run executes the verb.
func (c *completionCommand) Run(io *streams, parsed *kong.Context) error {
	write := map[string]func(*strings.Builder, []leaf){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	var b strings.Builder
	write(&b, leaves(parsed.Model.Node))
	_, err := io.out.Write([]byte(b.String()))
	return err
}

// A leaf is a verb that takes no further verb, such as "paper tables".
type leaf struct {
	*kong.Node
	words string   // after the program's name
	flags []string // "--out" and "-o"
	takes []string // words that its arguments may be, if not files
}

// leaves lists the verbs in the order of the help.
func leaves(root *kong.Node) []leaf {
	var all []leaf
	for _, n := range root.Leaves(true) {
		l := leaf{Node: n, words: strings.TrimPrefix(n.FullPath(), root.Name+" ")}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				l.flags = append(l.flags, "--"+f.Name)
				if f.Short != 0 {
					l.flags = append(l.flags, "-"+string(f.Short))
				}
			}
		}
		switch l.words {
		case "completion":
			l.takes = []string{"bash", "zsh", "fish"}
		case "example":
			l.takes = exampleNames()
		case "help":
			l.takes = append([]string{"problem", "expressions"}, verbs(root)...)
		}
		all = append(all, l)
	}
	return all
}

// verbs lists the first words of command lines.
func verbs(root *kong.Node) []string {
	var all []string
	for _, n := range root.Children {
		if !n.Hidden {
			all = append(all, n.Name)
		}
	}
	return all
}

func exampleNames() []string {
	var all []string
	for _, e := range problems.All {
		all = append(all, e.Name)
	}
	for _, s := range problems.Studies {
		all = append(all, s.Name)
	}
	for _, m := range problems.Measured {
		all = append(all, m.Name)
	}
	return all
}

func problemKeys() []string {
	var all []string
	for _, e := range spec.Reference() {
		all = append(all, e.Key)
	}
	return all
}

// firstWords lists the verbs, each once.
func firstWords(all []leaf) []string {
	var words []string
	for _, l := range all {
		first, _, _ := strings.Cut(l.words, " ")
		if len(words) == 0 || words[len(words)-1] != first {
			words = append(words, first)
		}
	}
	return words
}

// bashCompletion completes from lists of words. Where a list is empty, bash completes files.
func bashCompletion(b *strings.Builder, all []leaf) {
	b.WriteString("# bash completion for bpielm: source <(bpielm completion bash)\n_bpielm() {\n")
	writeChoice(b, all, "${COMP_WORDS[1]}", "${COMP_WORDS[2]}", "${COMP_WORDS[COMP_CWORD]}", "$COMP_CWORD")
	b.WriteString("  COMPREPLY=($(compgen -W \"$list\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _bpielm bpielm\n")
}

// zshCompletion does the same in zsh, whose words are counted from 1.
func zshCompletion(b *strings.Builder, all []leaf) {
	b.WriteString("#compdef bpielm\n# zsh completion for bpielm: source <(bpielm completion zsh), after compinit\n_bpielm() {\n")
	writeChoice(b, all, "${words[2]}", "${words[3]}", "${words[CURRENT]}", "$((CURRENT-1))")
	b.WriteString("  if [[ -n $list ]]; then compadd -- ${=list}; else _files; fi\n}\ncompdef _bpielm bpielm\n")
}

// writeChoice sets list to the words that may stand where the cursor is, in the language that bash and zsh share.
func writeChoice(b *strings.Builder, all []leaf, first, second, now, count string) {
	fmt.Fprintf(b, "  local list=\"\"\n  case \"%s\" in\n", first)
	second = `"` + second + `"`
	children := map[string][]string{}
	for _, l := range all {
		name, child, nested := strings.Cut(l.words, " ")
		if nested {
			children[name] = append(children[name], child)
			if len(children[name]) > 1 {
				continue // the flags of the last are close enough to those of the first
			}
		}
		fmt.Fprintf(b, "  %s)\n    if [[ \"%s\" == -* ]]; then list=\"%s\"\n", name, now, strings.Join(l.flags, " "))
		switch {
		case nested:
			fmt.Fprintf(b, "    elif [[ %s -eq 2 ]]; then list=\"%s\"\n", count, strings.Join(childrenOf(all, name), " "))
		case name == "help":
			fmt.Fprintf(b, "    elif [[ %s -eq 3 && %s == problem ]]; then list=\"%s\"\n", count, second, strings.Join(problemKeys(), " "))
			fallthrough
		case l.takes != nil:
			fmt.Fprintf(b, "    elif [[ %s -eq 2 ]]; then list=\"%s\"\n", count, strings.Join(l.takes, " "))
		}
		b.WriteString("    fi ;;\n")
	}
	fmt.Fprintf(b, "  esac\n  if [[ %s -eq 1 ]]; then list=\"%s --help --version\"; fi\n", count, strings.Join(firstWords(all), " "))
}

func childrenOf(all []leaf, name string) []string {
	var children []string
	for _, l := range all {
		if child, ok := strings.CutPrefix(l.words, name+" "); ok {
			children = append(children, child)
		}
	}
	return children
}

// fishCompletion has a line for each verb and each flag, with its help.
func fishCompletion(b *strings.Builder, all []leaf) {
	b.WriteString("# fish completion for bpielm\n")
	quote := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	for _, l := range all {
		first, child, nested := strings.Cut(l.words, " ")
		condition := "__fish_seen_subcommand_from " + first
		if nested {
			fmt.Fprintf(b, "complete -c bpielm -f -n %s -a %s -d %s\n", quote(condition+"; and not __fish_seen_subcommand_from "+strings.Join(childrenOf(all, first), " ")), child, quote(l.Help))
			fmt.Fprintf(b, "complete -c bpielm -f -n __fish_use_subcommand -a %s\n", first)
			condition += "; and __fish_seen_subcommand_from " + child
		} else {
			fmt.Fprintf(b, "complete -c bpielm -f -n __fish_use_subcommand -a %s -d %s\n", first, quote(l.Help))
		}
		if l.takes != nil {
			fmt.Fprintf(b, "complete -c bpielm -f -n %s -a %s\n", quote(condition), quote(strings.Join(l.takes, " ")))
		}
		for _, group := range l.AllFlags(true) {
			for _, f := range group {
				short, argument := "", " -r"
				if f.Short != 0 {
					short = " -s " + string(f.Short)
				}
				if f.IsBool() {
					argument = ""
				}
				fmt.Fprintf(b, "complete -c bpielm -n %s -l %s%s%s -d %s\n", quote(condition), f.Name, short, argument, quote(firstSentence(f.Help)))
			}
		}
	}
	fmt.Fprintf(b, "complete -c bpielm -f -n %s -a %s\n", quote("__fish_seen_subcommand_from help; and __fish_seen_subcommand_from problem"), quote(strings.Join(problemKeys(), " ")))
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ";")
	first, _, _ = strings.Cut(first, ". ")
	return strings.TrimSuffix(first, ".")
}
