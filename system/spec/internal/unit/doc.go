// Package unit reads units of measurement and computes with them, to find equations whose terms are in different units.
//
//	flux, ok := unit.Parse("W/(m2 K)")
//	needed := flux.Times(unit.Of("K"))
//	factor, same, ok := needed.Over(unit.Of("kW/m2")) // 0.001, true, true
//	fmt.Println(needed)                               // W/m2
//
// It knows the SI and what is used beside it: time up to years, litres, bars, degrees Celsius, feet. A symbol that it does
// not know, such as psu, is a unit that cannot be converted to any other. Symbols of two meanings, such as C, are taken
// as unknown.
//
// Begin with unit.go; symbols.go lists the symbols, parse.go says how units are written.
package unit
