//go:build amd64 && !purego

package asm

var functionsAVX2 = functions{
	exp:           whole1(expAVX2, genericFunctions.exp),
	log:           whole1(logAVX2, genericFunctions.log),
	sin:           whole1(nearOrFar(sinAVX2, Sin), genericFunctions.sin),
	cos:           whole1(nearOrFar(cosAVX2, Cos), genericFunctions.cos),
	tanh:          whole1(tanhAVX2, genericFunctions.tanh),
	sinCos:        whole2(nearOrFarPair(sinCosAVX2), genericFunctions.sinCos),
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

//go:noescape
func logAVX2(dst, x []float64)

//go:noescape
func sinAVX2(dst, x []float64) (far bool)

//go:noescape
func cosAVX2(dst, x []float64) (far bool)

//go:noescape
func sinCosAVX2(s, c, x []float64) (far bool)
