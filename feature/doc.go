// Package feature is the hidden layer: fixed random neurons, and a linear
// differential operator applied to all of them at a chunk of points.
//
// A field is modelled as u(x) = sum_j w_j phi(a_j.z + b_j), where z are the
// coordinates that map the problem's box to [-1, 1] in every variable, and
// only the output weights w are inferred. Derivatives are exact (eq_u_NN and
// the equation after it in the paper).
//
//	box := feature.Box{Min: []float64{0, 0}, Max: []float64{1, 2}}
//	layer, err := feature.New(box, feature.Config{Neurons: 100, Scale: []float64{4}, Seed: 1})
//	if err != nil { ... }
//	laplacian := []feature.Term{{Derivative: []int{2, 0}}, {Derivative: []int{0, 2}}}
//	rows := mat.NewDense(points.Rows(), layer.Neurons(), nil)
//	layer.RowsTo(rows, points, laplacian)
//
// Rows are made in chunks that stay in a cache: all arguments a_j.z + b_j of a
// chunk, then one pass of a vector function that gives what the derivatives have
// in common, then for each row and each order k of the operator one pass that adds
// P_k(x, a_j) times the derivative of order k, P_k being the operator's
// polynomial in the slopes. A Config names the activation: Tanh, Sine, Gaussian,
// Logistic or Softplus. With Constant a layer has one more neuron, the last, which is 1
// everywhere; with Axes the slopes are scaled along turned axes instead of the variables.
//
// Every draw is seeded and the same on every machine.
//
// Begin reading at layer.go, then activation.go, derivative.go with one
// derivative_*.go, and rows.go; logarithmic.go is for logarithmic axes.
package feature
