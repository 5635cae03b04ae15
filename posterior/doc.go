// Package posterior infers the solution of a linear PDE problem and its
// unknown parameters from sensor readings, with uncertainty.
//
// The rows of a system.Problem form H w = y, and the posterior of the weights
// w is Gaussian. The work has two stages: Compile shapes the prior by the
// physics (heavy, needs no readings), Assimilate conditions it on sensors
// (light, as often as sensors report). Fit does both and chooses everything
// that was left open by the evidence:
//
//	post, err := posterior.Fit(problem, posterior.Config{Neurons: 200, Seed: 1})
//	if err != nil { ... }
//	mean, sd, err := post.Predict(system.Field(0), points)
//	for _, q := range post.Parameters() {
//		fmt.Println(q.Name, q.Mean, q.SD)
//	}
//
// # Method
//
// Physics rows are not data: where the source is zero or unknown, w = 0
// satisfies them exactly, and an evidence that counts them as observations
// rewards the trivial solution. So the default method scores only the sensors,
// under the prior that the physics has already shaped:
//
//	log p(y_s | physics) = log p(y_s, y_f) - log p(y_f)
//
// together with an amplitude-free evidence of the source where it is known.
// Two weak priors stand beside it: a loose tolerance has to be earned, because
// the equations are meant, and a known source counts as two observations of
// the amplitude, so that readings which physics foretells do not make it vanish.
// The result is the paper's Gaussian posterior with a noise level for each
// row; only the choice of the hyper-parameters differs. Fit draws some more layers
// with the same scales and averages, each weighted by its evidence.
//
// Conditions that are to hold exactly are eliminated: the prior of the weights is
// conditioned on the equality, and the rest goes on in the directions left. Demands
// with an sd in their own units are rows like readings.
//
// The paper's fixed point (Published) and its PIELM (PseudoInverse) stand
// beside it, and take all rows alike, however strictly they are meant. The formulas of the paper are mended in these places: the
// likelihood's exponent is -|Y-Hw|^2/(2 sigma^2); the updates are eta =
// gamma/(mu'mu) and sigma^2 = |Y-H mu|^2/(N* - gamma) with gamma = N - eta
// trace Sigma; iteration stops on the relative change of mu; the predictive
// variance is sigma^2 + h' Sigma h with h the feature row at the new point.
//
// Begin reading at fit.go (the whole search), then physics.go, evidence.go,
// assimilate.go, ensemble.go and posterior.go; exact.go is about exact conditions.
package posterior
