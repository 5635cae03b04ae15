//go:build amd64 && !purego

package asm

var functionsAVX512 = functions{
	exp:           expAVX512,
	log:           genericFunctions.log,
	sin:           genericFunctions.sin,
	cos:           genericFunctions.cos,
	tanh:          tanhAVX512,
	sinCos:        genericFunctions.sinCos,
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
