//go:build arm64 && !purego

package asm

// constants holds each of constantValues twice, so that one load fills a register.
var constants = func() (table [len(constantValues)][2]float64) {
	for i, v := range constantValues {
		table[i] = [2]float64{v, v}
	}
	return table
}()

var functionsNEON = inBlocks(functions{
	exp:           expNEON,
	log:           logNEON,
	sin:           nearOrFar(sinNEON, Sin),
	cos:           nearOrFar(cosNEON, Cos),
	tanh:          tanhNEON,
	sinCos:        nearOrFarPair(sinCosNEON),
	tanhSech2:     tanhSech2NEON,
	tanhJet:       tanhJetNEON,
	mulPolynomial: mulPolynomialNEON,
})

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
