package host

import "slices"

// section returns a section of a module: its number, its length and its content.
func section(id byte, entries ...[]byte) []byte {
	content := unsigned(len(entries))
	for _, e := range entries {
		content = append(content, e...)
	}
	return join([]byte{id}, unsigned(len(content)), content)
}

func text(s string) []byte { return join(unsigned(len(s)), []byte(s)) }

// header opens a module: "\0asm", version 1.
var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// Sections, and kinds of imports and exports.
const (
	types     = 1
	imports   = 2
	functions = 3
	tables    = 4
	globals   = 6
	exports   = 7
	elements  = 9
	codes     = 10

	aFunction = 0
	aTable    = 1
	aMemory   = 2
	aGlobal   = 3
	funcref   = 0x70
)

func (f *fn) kind() []byte {
	return join([]byte{0x60}, unsigned(len(f.params)), f.params, unsigned(len(f.results)), f.results)
}

// body returns the entry of the code section.
func (f *fn) body() []byte {
	b := unsigned(len(f.locals))
	for _, kind := range f.locals {
		b = append(b, 1, kind)
	}
	b = join(b, f.code, []byte{0x0b})
	return join(unsigned(len(b)), b)
}

// Room returns the module that computes. It imports the memory and the table of Door, fills the table, and exports
// fused, which returns 1 if this host fuses the products and sums of relaxed instructions, and otherwise 0.
func Room() []byte {
	all := kernel()
	fused := fused()
	var kinds, own, bodies, indices [][]byte
	for i, f := range append(slices.Clone(all), fused) {
		kinds = append(kinds, f.kind())
		own = append(own, unsigned(i))
		bodies = append(bodies, f.body())
		if i < len(all) {
			indices = append(indices, unsigned(i))
		}
	}
	fill := join([]byte{0}, number(0), []byte{0x0b}, unsigned(len(indices)))
	for _, i := range indices {
		fill = append(fill, i...)
	}
	return slices.Concat(header,
		section(types, kinds...),
		section(imports,
			slices.Concat(text("host"), text("memory"), []byte{aMemory, 0, 0}),
			slices.Concat(text("host"), text("table"), []byte{aTable, funcref, 0}, unsigned(len(all)))),
		section(functions, own...),
		section(exports, slices.Concat(text("fused"), []byte{aFunction}, unsigned(len(all)))),
		section(elements, fill),
		section(codes, bodies...))
}

// Door returns the module that a Go program imports as "bpielm". It exports the functions of the kernel, the table that
// they call through, the mutable global open, and the function ready, which returns it: zero until the host sets it.
func Door() []byte {
	all := kernel()
	var kinds, own, bodies, out [][]byte
	for i, f := range all {
		call := &fn{params: f.params, results: f.results}
		for p := range f.params {
			call.run(get(p))
		}
		call.run(number(i))
		call.run(join([]byte{0x11}, unsigned(i), []byte{0})) // call_indirect
		kinds = append(kinds, f.kind())
		own = append(own, unsigned(i))
		bodies = append(bodies, call.body())
		out = append(out, slices.Concat(text(f.name), []byte{aFunction}, unsigned(i)))
	}
	ready := &fn{results: []byte{i32}}
	ready.run([]byte{0x23, 0}) // global.get
	kinds = append(kinds, ready.kind())
	own = append(own, unsigned(len(all)))
	bodies = append(bodies, ready.body())
	out = append(out,
		slices.Concat(text("ready"), []byte{aFunction}, unsigned(len(all))),
		slices.Concat(text("table"), []byte{aTable, 0}),
		slices.Concat(text("open"), []byte{aGlobal, 0}))
	return slices.Concat(header,
		section(types, kinds...),
		section(functions, own...),
		section(tables, join([]byte{funcref, 0}, unsigned(len(all)))),
		section(globals, join([]byte{i32, 1}, number(0), []byte{0x0b})),
		section(exports, out...),
		section(codes, bodies...))
}

// fused returns the function that tries both instructions with (1+2^-30)(1-2^-30) - 1, which is zero if the product is
// rounded, in both lanes.
func fused() *fn {
	f := &fn{name: "fused", results: []byte{i32}}
	a := f.let(splat(real64(1 + 0x1p-30)))
	b := f.let(splat(real64(1 - 0x1p-30)))
	one := f.let(splat(real64(1)))
	f.run(all(and(
		equal(madd(a, b, neg(one)), splat(real64(-0x1p-60))),
		equal(nmadd(a, b, one), splat(real64(0x1p-60))))))
	return f
}
