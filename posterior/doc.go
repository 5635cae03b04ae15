// Package posterior infers the solution of a linear PDE problem and its
// unknown parameters from sensor readings, with uncertainty.
//
// The rows of a system.Problem form H w = y, and given the hyper-parameters the
// posterior of the weights w is Gaussian. Fit integrates over the hyper-parameters
// and returns the mixture:
//
//	post, err := posterior.Fit(problem, posterior.Config{Seed: 1})
//	if err != nil { ... }
//	mean, sd, err := post.Predict(system.Field(0), points)
//	for _, q := range post.Parameters() {
//		fmt.Println(q.Name, q.Mean, q.SD, q.Lower95, q.Upper95)
//	}
//	verdict, _, err := post.Examine(problem) // is it to be trusted?
//
// Compile and Physics.Assimilate are the two stages of one layer: the physics once,
// the readings as often as sensors report. FitPrior keeps what the best layer says under
// the physics alone; a Prior.Stream then takes readings one by one, on a device.
//
// # Method
//
// Physics rows are not data: where the source is zero or unknown, w = 0 satisfies
// them exactly, and an evidence that counts them as observations rewards the trivial
// solution. So only the readings are scored, under the prior that the physics has
// already shaped:
//
//	log p(y_s | physics) = log p(y_s, y_f) - log p(y_f)
//
// The hyper-parameters are the amplitude of the solution, the slack of the equations,
// the noise where it is not stated, and what makes a layer of random neurons: their
// activation, their scale along each variable, how they are turned, and the draw. None
// of them is set to its best value. One that fits best may be absurd, and bands that
// rest on it are too narrow; all that the readings leave possible are mixed, each
// weighted by evidence and prior. The priors are in priors.go, each with its reason.
//
// Priors need units, which a problem has of itself (sizes.go): a field varies by about as
// much as its readings, an equation is as large as its largest term, a parameter is
// at most so large that its term is a hundred times all others. The slack is measured in
// the equation's own size, whatever the amplitude or the steepness of the neurons: an
// equation that is stated holds, unless the readings say no beyond doubt. A
// problem may state the sizes of its fields; else the readings set them, and known
// sources and conditions where there are none. Weights under the physics would prefer
// parameters of small effect; what these make is set apart (parameters.go).
//
// For one layer, amplitude, slack and noise are integrated by quadrature, which costs
// little after one factorisation for each slack (evidence.go); several noise levels, or a
// learned one beside parameters, by Laplace's method (laplace.go). Layers are found by a search that climbs to the best,
// then looks all over the prior of scales, at the grid around the best and at further draws (search.go).
// Each stands for a part of the prior, and the few that are mixed stand for all (weights.go). Finite layers are
// only approximations, so evidences of layers are tempered: divided by 3. Where the number of
// neurons is left open, layers are doubled until the answers settle (integrate.go).
//
// Coefficients, on which the functions of a problem depend in any way, make it linear only when they are given. Their
// posterior is explored by the evidence, which is then exact. Layers are looked for all over the prior (coefficients.go); each says on its
// own what the coefficients are (views.go), by steps to the maxima of its evidence and about each a surrogate of its logarithm (explore.go,
// surrogate.go). Layers that disagree are mixed, as above (coefficients_mixture.go). In the mixture coefficients are further parameters, on
// which weights depend linearly in each component.
//
// Examine then looks for reasons not to believe the result: equations between
// their points, readings against all others, noise, the number of neurons, and whether
// something else explains the readings better than what was stated (verdict.go,
// doubts.go). Readings with Student's noise get weights (outliers.go).
//
// Conditions that are to hold exactly are eliminated: the prior of the weights is
// conditioned on the equality, and the rest goes on in the directions left (exact.go). Demands
// with an sd in their own units are rows like readings.
//
// # The paper
//
// The paper's fixed point (Published) and its PIELM (PseudoInverse) stand
// beside it, and take all rows alike, however strictly they are meant. The formulas of the paper are mended in these places: the
// likelihood's exponent is -|Y-Hw|^2/(2 sigma^2); the updates are eta =
// gamma/(mu'mu) and sigma^2 = |Y-H mu|^2/(N* - gamma) with gamma = N - eta
// trace Sigma; iteration stops on the relative change of mu; the predictive
// variance is sigma^2 + h' Sigma h with h the feature row at the new point.
//
// Begin reading at priors.go and integrate.go, then search.go, physics.go, assimilate.go,
// evidence.go and posterior.go; verdict.go stands apart.
package posterior
