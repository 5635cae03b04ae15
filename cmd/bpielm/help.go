package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bpielm/bpielm/cmd/internal/handbook"
	"github.com/bpielm/bpielm/system/spec"
)

// helpCommand is `bpielm help`.
type helpCommand struct {
	Topic    []string `arg:"" optional:"" help:"A verb; or problem, with or without a key of the problem file; or expressions."`
	Schema   bool     `help:"With problem: print a JSON schema, for editors."`
	Markdown bool     `help:"With problem: print the page docs/problem-file.md."`
}

// Help adds to the verb's usage text.
func (*helpCommand) Help() string {
	return `Without a topic it prints what bpielm --help does, and with a verb what its --help does.

Examples:
  bpielm help solve
  bpielm help problem
  bpielm help problem sensors.sigma
  bpielm help expressions
  bpielm help problem --schema > bpielm.schema.json`
}

// Run executes the verb.
func (c *helpCommand) Run(io *streams, parsed *kong.Context) error {
	entries := spec.Reference()
	switch {
	case len(c.Topic) > 0 && c.Topic[0] == "problem":
		switch {
		case c.Schema:
			schema, err := handbook.Schema(entries)
			if err == nil {
				_, err = io.out.Write(schema)
			}
			return err
		case c.Markdown:
			return handbook.Markdown(io.out, entries)
		case len(c.Topic) > 2:
			return refuse("help problem: found %d keys; one is expected", len(c.Topic)-1)
		case len(c.Topic) == 2:
			if err := handbook.Key(io.out, entries, c.Topic[1]); err != nil {
				return &inputError{err: err}
			}
			return nil
		}
		return handbook.Overview(io.out, entries)
	case c.Schema || c.Markdown:
		return refuse("--schema and --markdown belong to bpielm help problem")
	case len(c.Topic) == 1 && c.Topic[0] == "expressions":
		return handbook.Expressions(io.out)
	}
	return c.ofVerb(parsed)
}

// ofVerb prints the help of the program, of a verb, or of a verb of a verb.
func (c *helpCommand) ofVerb(parsed *kong.Context) error {
	at := parsed.Model.Node
	for _, word := range c.Topic {
		next := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == word })
		if next < 0 {
			return refuse("help: there is no topic %q; verbs, problem and expressions are topics", strings.Join(c.Topic, " "))
		}
		at = at.Children[next]
	}
	of, err := kong.Trace(parsed.Kong, c.Topic)
	if err != nil {
		return err
	}
	return of.PrintUsage(false)
}
