// Package export writes a solution on its output grid for other programs: as a VTK
// image, which ParaView opens, and as NumPy arrays.
//
//	images, err := export.VTK(grids)             // names and contents of files
//	err = export.NumPy(w, grids)                 // one .npz with all arrays
//
// A Grid holds arrays over the same axes. Grids returns those of a solution: one for the
// fields of all variables and one for each field of fewer. Points outside the domain are
// NaN. The same grids give the same bytes on every machine.
//
// Begin reading at grid.go.
package export
