//go:build amd64 && !purego

package asm

var functionsAVX512 = functions{
	exp:           expAVX512,
	log:           logAVX512,
	sin:           nearOrFar(sinAVX512, Sin),
	cos:           nearOrFar(cosAVX512, Cos),
	tanh:          tanhAVX512,
	sinCos:        nearOrFarPair(sinCosAVX512),
	tanhSech2:     tanhSech2AVX512,
	tanhJet:       tanhJetAVX512,
	mulPolynomial: mulPolynomialAVX512,
}

//go:noescape
func expAVX512(dst, x []float64)

//go:noescape
func tanhAVX512(dst, x []float64)

//go:noescape
func tanhSech2AVX512(t, u, x []float64)

//go:noescape
func tanhJetAVX512(t, u, v, w, x []float64)

//go:noescape
func mulPolynomialAVX512(dst, p, w, v, c []float64, accumulate bool)

//go:noescape
func logAVX512(dst, x []float64)

//go:noescape
func sinAVX512(dst, x []float64) (far bool)

//go:noescape
func cosAVX512(dst, x []float64) (far bool)

//go:noescape
func sinCosAVX512(s, c, x []float64) (far bool)
