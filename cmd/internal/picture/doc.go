// Package picture decides which pictures a result gets, and fills their panels:
// curves for one variable, maps and slices for more, densities of parameters,
// places for new sensors, the figures of the paper, rooflines. Package figure draws
// them.
//
//	pictures, err := picture.Of(file, q, checks) // solution, slices, readings, residuals, parameters, corner
//	for _, p := range pictures {
//		err := p.Figure.Write(w, figure.PNG) // into a file named p.File(figure.PNG)
//	}
//
// Begin reading at Of. An artist makes the pictures of one field.
package picture
