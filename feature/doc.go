// Package feature is the hidden layer: fixed random neurons, and linear differential
// operators applied to all of them at many points.
//
// A field is modelled as u(x) = sum_j w_j phi(a_j.z + b_j). z are the coordinates that map
// the problem's box to [-1, 1] in every variable, and only the output weights w are
// inferred. Derivatives are exact (equations 8 and 9 of the paper).
//
//	box := feature.Box{Min: []float64{0, 0}, Max: []float64{1, 2}}
//	layer, err := feature.New(box, feature.Config{Neurons: 100, Scale: []float64{4}, Seed: 1})
//	if err != nil { ... }
//	laplacian := []feature.Term{{Derivative: []int{2, 0}}, {Derivative: []int{0, 2}}}
//	rows := mat.NewDense(points.Rows(), layer.Neurons(), nil)
//	layer.RowsTo(rows, points, laplacian)
//
// Rows are computed in chunks that fit in cache, in three passes: the arguments
// a_j.z + b_j of the chunk; one vector function for what the derivatives share; and, for
// each row and each order k of the operator, P_k(x, a_j) times the derivative of order k.
// P_k is the operator's polynomial in the slopes. A Config names the activation, Tanh or
// another of Activations. With Constant a layer has one more neuron, the
// last, which is 1 everywhere. With Axes the slopes are scaled along rotated axes instead
// of the variables. With Patches neurons have local support.
//
// Every draw is seeded and the same on every machine.
//
// Begin reading at layer.go, then activation.go, derivative.go with one
// derivative_*.go, and rows.go. logarithmic.go is about logarithmic axes, patches.go about
// layers with local support.
package feature
