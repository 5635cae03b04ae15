// Package solution is what a posterior says of a problem file's fields: their
// values on the output grid, and how far these are from the exact solution where
// the file states one.
//
//	config, err := bpielm.Config(file)              // what the file asks of the fit
//	q, err := posterior.Fit(file.Problem, config)
//	s, err := solution.OnGrid(file, q)
//	for i := range s.Fields {
//		e := s.Fields[i].Score()                      // MAE, MaxAE, coverage of the 95 % band
//	}
//
// A field may depend on some of the variables only. It is then evaluated in these
// alone, see OwnVariables.
//
// Begin reading at OnGrid.
package solution
