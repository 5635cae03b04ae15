// Package posterior infers the solution of a PDE problem and its unknown parameters
// from sensor readings, with uncertainty.
//
// The rows of a system.Problem form H w = y. Given the hyper-parameters the posterior of the
// weights w is Gaussian. Fit integrates over the hyper-parameters and returns the mixture:
//
//	post, err := posterior.Fit(problem, posterior.Config{Seed: 1})
//	if err != nil { ... }
//	mean, sd, err := post.Predict(system.Field(0), points)
//	for _, q := range post.Parameters() {
//		fmt.Println(q.Name, q.Mean, q.SD, q.Lower95, q.Upper95)
//	}
//	verdict, _, err := post.Examine(problem) // can it be trusted?
//
// Three types take an inference apart:
//
//   - Physics is one layer with the equations and conditions applied, for all
//     hyper-parameters at once. Compile makes it; Assimilate conditions it on readings, as
//     often as sensors report.
//   - Prior is Physics with the hyper-parameters averaged: one Gaussian over the weights of
//     the best layer, before any reading. FitPrior makes it. It can be stored and sent to a
//     device, where a Stream takes readings one by one.
//   - Posterior is what is known after the readings: a mixture of Gaussians over layers.
//
// # Method
//
// Physics rows are not data. Where the source is zero or unknown, w = 0 satisfies them
// exactly, and an evidence that counts them as observations rewards the trivial solution. So
// only the readings are scored, under the prior that the physics has already shaped:
//
//	log p(y_s | physics) = log p(y_s, y_f) - log p(y_f)
//
// The hyper-parameters are the amplitude of the solution, the slack of the equations, the
// noise where it is not stated, and what defines a layer of random neurons: their activation,
// their scale along each variable, their orientation, and the draw. None is set to its best
// value: the value that fits best may be absurd, and the resulting bands are too narrow.
// Everything that the readings leave possible is averaged, weighted by evidence times prior.
// All priors are in priors.go, each with its reason.
//
// Priors need units, and a problem supplies them (sizes.go). A field varies about as much as
// its readings. An equation is as large as its largest term. A parameter is at most so large
// that its term is a hundred times all others. A problem may state the sizes of its fields;
// otherwise they follow from the readings, or from known sources and conditions. The slack is
// relative to the size of its equation, whatever the amplitude or the steepness of the
// neurons: a stated equation holds, unless the readings contradict it beyond doubt. Under the
// physics, the prior of the weights would favour parameters of small effect; parameters.go
// corrects that.
//
// For one layer, amplitude, slack and noise are integrated by quadrature, which is cheap after
// one factorisation for each slack (survey.go, evidence.go). Several noise levels, or a
// learned one beside parameters, need Laplace's method (laplace.go). The sum over slacks,
// logEvidenceOf in survey.go, is what layers are compared by. Layers are found by a
// search that climbs to the best one, then covers the prior of scales by a lattice, the
// neighbourhood of the best by a grid, and the draws by repetition (search.go). Each layer
// represents a share of the prior, and the few that are mixed represent all of them
// (weights.go). Finite layers are only approximations, so the log evidence of a layer is
// tempered: divided by 3. Where the number of neurons is open, it is doubled until the
// answers settle (integrate.go).
//
// Coefficients enter the functions of a problem in any way, so the problem is linear only
// when they are given. Given them, the evidence is exact, and it is explored over the prior
// of the coefficients (coefficients.go), by layers that represent those of solutions for several of
// their values. Two models say how evidences at different coefficients compare (comparison.go). Each layer has its own posterior of the coefficients (views.go): Newton steps lead to
// the maxima of its evidence, and a surrogate models the log evidence around each (explore.go,
// surrogate.go). Layers are mixed as above (coefficients_mixture.go), but one whose coefficients
// contradict those of all others counts by its evidence, which is not tempered (views.go). In the
// mixture, coefficients are further parameters, on which the weights depend linearly within each
// component.
//
// A nonlinear problem is linearised about a state, solved, and linearised about that solution,
// until it stands still (nonlinear.go). Its posterior is Laplace's approximation, with moments
// that draws from the posterior correct (nonlinear_rows.go, nonlinear_draws.go). Where these are not to be
// trusted, parameters whose evidence is not that of the Gaussian are integrated over as coefficients are
// (nonlinear_outer.go), and the verdict says whether the equations are linear enough (verdict_nonlinear.go).
//
// With patches (blocks.go) sums of squares are a matrix of blocks. Cells become small where the solution bends (grading.go), and nonlinear
// terms are strengthened bit by bit (strengthen.go). The verdict compares answers cell by cell (blockmovement.go).
//
// Examine then looks for reasons not to believe the result: equations that fail between their
// points, readings that contradict the others, noise that does not match, too few neurons, or
// an alternative that explains the readings better than what was stated (verdict.go,
// doubts.go). Readings with Student's noise get weights (outliers.go). It names combinations of parameters
// that are known though the parameters are not (combinations.go).
//
// Conditions that must hold exactly are eliminated: the prior of the weights is conditioned
// on the equality, and inference continues in the remaining directions (exact.go). Equations
// and conditions with an sd in their own units are treated as readings.
//
// A Preview says at once what a posterior would be with other readings, hyper-parameters held: a picture that follows a
// sensor while it is dragged (preview.go). Place says where a further sensor would help most (placement.go).
//
// Conditioning a Gaussian on rows, in all the forms that this needs, is in internal/gauss. Groups of more readings than
// weights are summarised by package rowtree, with the same bits wherever the parts of the summary are made. Of groups of
// FewestOfLarge readings and more, layers are chosen by some that are drawn, and then conditioned on all (large.go). A Source
// has the others where they do not fit into memory.
//
// # The paper
//
// The paper's fixed point (Published) and its PIELM (PseudoInverse) are here for comparison.
// They treat all rows alike, however strictly they are meant. The formulas of the paper are
// corrected in these places: the exponent of the likelihood is -|Y-Hw|^2/(2 sigma^2); the
// updates are eta = gamma/(mu'mu) and sigma^2 = |Y-H mu|^2/(N* - gamma) with gamma = N - eta
// trace Sigma; the iteration stops on the relative change of mu; the predictive variance is
// sigma^2 + h' Sigma h with h the feature row at the new point.
//
// Begin reading at priors.go and integrate.go, then search.go, physics.go, survey.go,
// assimilate.go, evidence.go and posterior.go. verdict.go stands apart.
package posterior
