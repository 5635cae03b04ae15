package spec

import (
	"maps"
	"slices"
	"strings"
)

// A Kind says what values a key of a problem file takes. Kinds combine: KindNumber|KindTable is a number or a table.
type Kind uint

// The kinds of values. Wherever a number is expected, text with an expression of constants will do: "2*pi".
const (
	KindText       Kind = 1 << iota // text in quotes
	KindEquation                    // text: left = right, or inequalities
	KindExpression                  // text, or a number
	KindNumber                      // a number
	KindCount                       // a whole number
	KindNumbers                     // a list of numbers
	KindNames                       // a list of names
	KindFlag                        // true or false
	KindFile                        // the path of a CSV file, relative to the problem file
	KindTable                       // a table
	KindTables                      // an array of tables: [[equation]]
)

// kindNames are in the order of the bits.
var kindNames = []string{
	"text", "equation", "expression", "number", "whole number", "list of numbers", "list of names", "true or false", "CSV file", "table", "array of tables",
}

// String names the kinds: "number or table".
func (k Kind) String() string {
	var all []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, " or ")
}

// An Entry describes a section or key of problem files.
type Entry struct {
	Key      string   // "sensors.sigma"; NAME stands for a name that the user chooses
	Kind     Kind     // of its value
	Words    []string // values in quotes that it takes besides, or, if Kind is 0, all that it takes
	Unit     string   // of its value; "" if it has none
	Default  string   // as in a problem file, or in words in parentheses; "" if there is none
	Required bool
	Example  string // lines of its section
	Text     string // what it does, in one sentence or a few
}

// Section returns the section that holds the key, "" for keys before the first section.
func (e *Entry) Section() string {
	section, _, found := strings.Cut(e.Key, ".")
	if s := problemKeys.keys[section]; !found && s != nil && s.value {
		return ""
	}
	return section
}

// Reference describes every section and every key that Read accepts, each section before its keys. What Read refuses
// is not in it: TestReferenceIsComplete compares it with problemKeys, against which Read checks all files.
func Reference() []Entry { return slices.Clone(reference) }

// A Symbol is an operator, a function or a constant that expressions know.
type Symbol struct {
	Name   string
	Usage  string // "atan2(y, x)"
	Text   string
	Smooth bool // it may be applied to unknown fields
}

// Operators describes what expressions are built with, besides Functions.
func Operators() []Symbol { return slices.Clone(operators) }

// Functions describes all functions of expressions, in alphabetical order.
func Functions() []Symbol {
	var all []Symbol
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f, arguments := functions[name], "(x)"
		switch {
		case f.variadic:
			arguments = "(x, y, ...)"
		case name == "atan2":
			arguments = "(y, x)"
		case f.arity == 2:
			arguments = "(x, y)"
		}
		all = append(all, Symbol{name, name + arguments, functionTexts[name], f.slope != nil || f.slopeOfTwo != nil})
	}
	return all
}
