// Package paper reproduces the numerical study of X. Liu, W. Yao, W. Peng and W. Zhou,
// "Bayesian Physics-Informed Extreme Learning Machine for Forward and Inverse PDE Problems
// with Noisy Data": the problems, settings and methods of every table, with errors over
// many draws of noise and neurons instead of one.
//
//	for _, setting := range paper.Tables() {
//		rows, err := paper.Run(setting, paper.Options{Seeds: 20})
//	}
//
// The problems are those of package problems, which also simulates the readings.
//
// Begin reading at tables.go, then trial.go.
package paper
