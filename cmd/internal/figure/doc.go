// Package figure draws: curves with bands, coloured maps, densities, trends,
// places of sensors and rooflines, in panels that share one style, as PNG, SVG or PDF. It
// knows nothing of problems and fits; package picture decides what is drawn.
//
//	f := &figure.Figure{
//		Title: "Cooling of a rod",
//		Rows: [][]figure.Panel{{&figure.Curve{
//			Frame: figure.Frame{XLabel: "x", YLabel: "T", Aspect: 0.5},
//			X: x, Mean: mean, SD: sd,
//		}}},
//	}
//	f.Legend = figure.CurveLegend(f.Rows)
//	err := f.Write(w, figure.PNG) // or SVG or PDF
//
// Begin reading at figure.go, the layout; each kind of panel has a file.
package figure
