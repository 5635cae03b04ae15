// Package pinn is the physics-informed neural network that the paper compares
// with (Raissi, Perdikaris and Karniadakis, Journal of Computational Physics 378,
// 2019): a deep network trained by gradients on the mean squares of the equations'
// residuals and of the readings' misfits.
//
//	net, err := pinn.Train(file.Problem, pinn.Config{Hidden: []int{100, 100, 100, 100}, Epochs: 4000, Seed: 1})
//	u := net.Predict(0, points)
//	lambda := net.Parameters()
//
// Derivatives in the independent variables travel forward with the values through
// the layers; the gradient in the weights comes from a reverse pass over all of
// them, written by hand. All matrix work is package mat's. Rows are taken in
// segments of fixed size, so results do not depend on GOMAXPROCS.
//
// It is a baseline: one point estimate, no uncertainty, thousands of epochs.
//
// Begin reading at train.go, then jet.go.
package pinn
