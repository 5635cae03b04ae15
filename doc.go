// Package bpielm infers the solution of a differential equation, and unknown parameters in it, from a problem file:
// the library's way to what the program of the same name does.
//
//	answer, err := bpielm.SolveFile(ctx, "wall/problem.toml")
//	if err != nil { ... }                                     // names the file, the line and the key
//	for _, q := range answer.Parameters() {
//		fmt.Println(q.Name, q.Median, q.Lower95, q.Upper95)
//	}
//	band, err := answer.Band("T", mat.NewDense(1, 2, []float64{0.1, 12})) // at x = 0.1, t = 12
//	fmt.Println(band.Mean[0], band.Lower95[0], band.Upper95[0])
//	verdict, _, err := answer.Verdict()                       // can it be trusted?
//
// docs/problem-file.md has every key of a problem file, docs/recipes worked ones. A problem that is made in Go rather
// than read from a file needs packages system and posterior only: posterior.FitContext.
//
// # What is stable
//
// The version is 0 until the interface has been used by others for a while. From 0.1 on, within versions 0.x:
//
//   - Problem files, model files and states of devices that one version reads, all later ones read, with the same
//     meaning. Keys of problem files and of JSON output are added, never renamed.
//   - This package, and of packages spec and posterior what its examples use, keep their names and types; a change in a
//     minor version is announced in CHANGELOG.md. Fields are added to structs: name them in literals.
//   - Of packages system, feature and mat, names may change in a minor version, and CHANGELOG.md says how.
//     Package mat/asm promises nothing.
//   - Numbers: the same version gives the same bits on every platform, if the functions that a problem calls do, such as
//     those of package mat. Another version may give other numbers, within their standard deviations; CHANGELOG.md
//     says so.
//
// What is exported is listed in .ci/api.txt, so that no change to it goes unnoticed.
//
// Begin reading at bpielm.go, then in packages posterior and system/spec.
package bpielm
