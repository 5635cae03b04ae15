//go:build amd64 && !purego

package asm

var functionsAVX2 = inBlocks(functions{
	exp:           expAVX2,
	log:           logAVX2,
	sin:           nearOrFar(sinAVX2, Sin),
	cos:           nearOrFar(cosAVX2, Cos),
	tanh:          tanhAVX2,
	sinCos:        nearOrFarPair(sinCosAVX2),
	tanhSech2:     tanhSech2AVX2,
	tanhJet:       tanhJetAVX2,
	mulPolynomial: mulPolynomialAVX2,
})

//go:noescape
func expAVX2(dst, x []float64)

//go:noescape
func tanhAVX2(dst, x []float64)

//go:noescape
func tanhSech2AVX2(t, u, x []float64)

//go:noescape
func tanhJetAVX2(t, u, v, w, x []float64)

//go:noescape
func mulPolynomialAVX2(dst, p, w, v, c []float64, accumulate bool)

//go:noescape
func logAVX2(dst, x []float64)

//go:noescape
func sinAVX2(dst, x []float64) (far bool)

//go:noescape
func cosAVX2(dst, x []float64) (far bool)

//go:noescape
func sinCosAVX2(s, c, x []float64) (far bool)
