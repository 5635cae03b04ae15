// Package format writes numbers for people: an estimate with its standard
// deviation, a number with as many digits as it deserves, a count with its noun.
//
//	format.Estimate(0.49123, 0.0031)  // 0.4912 ± 0.0031
//	format.Short(1.0 / 3)             // 0.3333
//	format.Within(-49994.75, -50010, -49990)  // -49994.75
//	format.Separating([]float64{3456500, 3456700})(3456700)  // 3456700
//	format.Count(2, "reading")        // 2 readings
//
// It is a package of its own because the summaries of package main, the axes of
// package figure and the titles of package picture must write a number alike.
// Begin reading at Estimate.
package format
