// Package pinn is the physics-informed neural network that the paper compares with (Raissi,
// Perdikaris and Karniadakis, Journal of Computational Physics 378, 2019): a deep network
// trained by gradient descent on the mean squares of the equations' residuals and of the
// misfits to the readings.
//
//	net, err := pinn.Train(file.Problem, pinn.Config{Hidden: []int{100, 100, 100, 100}, Epochs: 4000, Seed: 1})
//	u := net.Predict(0, points)
//	lambda := net.Parameters()
//
// Derivatives in the independent variables are propagated forward through the layers with
// the values. The gradient in the weights comes from a hand-written reverse pass over all of
// them. Package mat does all matrix work. Rows are processed in segments of fixed size, so
// results do not depend on GOMAXPROCS.
//
// It is a baseline: a point estimate without uncertainty, after thousands of epochs.
//
// Begin reading at train.go, then jet.go.
package pinn
