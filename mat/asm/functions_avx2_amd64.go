//go:build amd64 && !purego

package asm

var functionsAVX2 = functions{
	exp:           whole1(expAVX2, genericFunctions.exp),
	log:           genericFunctions.log,
	sin:           genericFunctions.sin,
	cos:           genericFunctions.cos,
	tanh:          whole1(tanhAVX2, genericFunctions.tanh),
	sinCos:        genericFunctions.sinCos,
	tanhSech2:     whole2(tanhSech2AVX2, genericFunctions.tanhSech2),
	tanhJet:       wholeJet(tanhJetAVX2),
	mulPolynomial: wholePolynomial(mulPolynomialAVX2),
}

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
