//go:build arm64 && !purego

package asm

// constants holds each of constantValues twice, so that one load fills a register.
var constants = func() (table [len(constantValues)][2]float64) {
	for i, v := range constantValues {
		table[i] = [2]float64{v, v}
	}
	return table
}()

var functionsNEON = functions{
	exp:           whole1(expNEON, genericFunctions.exp),
	log:           whole1(logNEON, genericFunctions.log),
	sin:           whole1(nearOrFar(sinNEON, Sin), genericFunctions.sin),
	cos:           whole1(nearOrFar(cosNEON, Cos), genericFunctions.cos),
	tanh:          whole1(tanhNEON, genericFunctions.tanh),
	sinCos:        whole2(nearOrFarPair(sinCosNEON), genericFunctions.sinCos),
	tanhSech2:     whole2(tanhSech2NEON, genericFunctions.tanhSech2),
	tanhJet:       wholeJet(tanhJetNEON),
	mulPolynomial: wholePolynomial(mulPolynomialNEON),
}

//go:noescape
func expNEON(dst, x []float64)

//go:noescape
func logNEON(dst, x []float64)

//go:noescape
func tanhNEON(dst, x []float64)

//go:noescape
func tanhSech2NEON(t, u, x []float64)

//go:noescape
func tanhJetNEON(t, u, v, w, x []float64)

//go:noescape
func sinNEON(dst, x []float64) (far bool)

//go:noescape
func cosNEON(dst, x []float64) (far bool)

//go:noescape
func sinCosNEON(s, c, x []float64) (far bool)

//go:noescape
func mulPolynomialNEON(dst, p, w, v, c []float64, accumulate bool)
