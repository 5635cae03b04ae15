package posterior

import (
	"fmt"
	"runtime"

	"github.com/bpielm/bpielm/system"
)

// MemoryError is the refusal to start a computation that would need more memory than
// Config.MaxMemory.
type MemoryError struct {
	Neurons       int
	Needed, Limit int64 // bytes
}

func (e *MemoryError) Error() string {
	const unit = 1 << 20
	return fmt.Sprintf("memory: %d neurons may take %d MiB; %d MiB are allowed", e.Neurons, (e.Needed+unit-1)/unit, e.Limit/unit)
}

// A fit needs little but square matrices with as many columns as there are weights: some for each
// processor that evaluates a layer, two for each layer in the mixture, and those with which the
// verdict tries a layer of twice as many neurons. Their numbers are measured, not counted. They
// include what the garbage collector has not yet freed, which varies by a tenth. They exceed what was
// measured on 1, 2 and 8 processors, with 60 to 2000 neurons and one to three fields, by up to a factor
// of 2.1, with one exception: on a busy machine, where the collector came late, a solve with 60 neurons
// once took 65 MB where 53 were estimated, and 40 when it was repeated.
const (
	fitSquares, fitSquaresEach                   = 30, 34 // each: for each processor
	largeFitSquares, largeFitSquaresEach         = 30, 13 // above manyNeurons
	verdictSquares, verdictSquaresEach           = 120, 20
	largeVerdictSquares, largeVerdictSquaresEach = 120, 12

	stackedSquares, pseudoInverseSquares = 10, 20

	rowsExtra         = 1.3 // square-root path over Gram path
	coefficientsExtra = 3   // several solutions are kept

	programBytes, processorBytes = 38 << 20, 3 << 20
	columnBytes                  = 40 * chunkRows * 8
	pointBytes                   = 24 // for a point, and as much for each variable
)

// Memory returns an upper bound on the bytes that a program needs to call Fit, with the verdict if
// judged, or FitPrior otherwise. Where the number of neurons is open, the bound covers the layers
// that are tried in any case; larger ones are checked when it comes to them. Configuration and
// problem must be valid.
func Memory(p *system.Problem, c Config, judged bool) int64 {
	if err := c.complete(); err != nil {
		return 0
	}
	neurons := c.Neurons
	if c.Patches != nil {
		neurons = c.neuronsOf(p)
	}
	if neurons == 0 {
		list := c.stages(p)
		neurons = list[0].neurons
		if len(list) > 1 && !list[1].astray {
			neurons = list[1].neurons
		}
	}
	return c.memory(p, neurons, judged)
}

func (c *Config) memory(p *system.Problem, neurons int, judged bool) int64 {
	if c.Patches != nil {
		return c.blockMemory(p, neurons)
	}
	columns := float64(p.Columns(neurons + 1))
	processors := float64(min(runtime.GOMAXPROCS(0), mostComponents))
	squares := 0.0
	switch {
	case c.Method == Published:
		squares = stackedSquares
	case c.Method == PseudoInverse:
		squares = pseudoInverseSquares
	case neurons > manyNeurons:
		squares = largeFitSquares + float64(largeFitSquaresEach*processors)
		if judged {
			squares = largeVerdictSquares + float64(largeVerdictSquaresEach*processors)
		}
	default:
		squares = fitSquares + float64(fitSquaresEach*processors)
		if judged {
			squares = verdictSquares + float64(verdictSquaresEach*processors)
		}
	}
	s := search{frame: &frame{problem: p}, config: *c}
	if s.searchPath() == SquareRoot || c.Path == SquareRoot {
		squares *= rowsExtra
	}
	if len(p.Coefficients) > 0 {
		squares *= coefficientsExtra
	}
	bytes := programBytes + float64(processorBytes*processors) + float64(columnBytes*columns) + float64(float64(8*squares)*float64(columns*columns))
	return int64(bytes) + c.pointMemory(p)
}

// pointMemory is what the points and readings of a problem take.
func (c *Config) pointMemory(p *system.Problem) int64 {
	points := 0
	for _, e := range p.Demands() {
		points += e.Points.Rows()
		if e.Candidates != nil {
			points += e.Candidates.Rows()
		}
	}
	for i := range p.Sensors {
		points += len(p.Sensors[i].Values)
	}
	return int64(points) * int64(pointBytes*(1+len(p.Variables)))
}

// fits refuses layers that need more memory than is allowed.
func (c *Config) fits(p *system.Problem, neurons int) error {
	if c.MaxMemory <= 0 {
		return nil
	}
	if needed := c.memory(p, neurons, !c.prior); needed > c.MaxMemory {
		return &MemoryError{neurons, needed, c.MaxMemory}
	}
	return nil
}
