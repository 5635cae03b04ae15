// Package gauss conditions a Gaussian vector v ~ N(0, a^2 I) on noisy linear observations
//
//	r = B v + noise,   noise ~ N(0, S),   S diagonal.
//
// Everything here computes one formula,
//
//	E[v | r]   = a^2 B' (a^2 BB' + S)^-1 r,
//	Cov[v | r] = a^2 I - a^4 B' (a^2 BB' + S)^-1 B,
//
// in the form that suits what is fixed and what changes:
//
//   - Update (update.go): all observations at once, one amplitude, one noise. Two QR
//     factorisations; no variance is the difference of two large numbers.
//   - Averager (average.go): the same observations under several amplitudes and noise levels,
//     averaged. The SVD is shared or, where noise differs between rows, the first QR factorisation.
//   - SVD (svd.go): the same rows again and again with new values, at any amplitude and one
//     common noise. After the decomposition a new set of values costs O(rows x rank) and
//     allocates nothing.
//   - Window (window.go, audit.go): observations that come and go one at a time. A Cholesky
//     factor is extended and shrunk in O(window^2), without allocating.
//   - Search (search.go): which observation to make next. Variances do not depend on values,
//     so the best place is known before anything has been read.
//
// Rows are given in the coordinates of v. Callers whose prior is N(m, FF') pass BF for the
// rows and the values less Bm for r; F E[v] + m and F times a factor are then the posterior.
//
// The package knows nothing of sensors, equations or layers. Begin reading at update.go.
package gauss
