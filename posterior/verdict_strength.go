package posterior

import "fmt"

// strengthNats is by how many nats the evidence may be larger to either side of a parameter's mean than at it, if it could not be
// integrated over: the layers that suit different values differ by luck.
const strengthNats = 3

// strengths says of which parameters in nonlinear terms the interval is not to be believed, or is approximate. Those that were
// integrated over have the checks of coefficients.
func (v *Verdict) strengths(l *linearisation) {
	if l.explored != nil {
		v.explored(l.explored)
	}
	for _, s := range l.strengths {
		if l.isOuter(s.parameter) {
			continue
		}
		name := l.problem.Parameters[s.parameter].Name
		mean, sd := l.linear.parameter(s.parameter).moments()
		gain, side := s.gain()
		value := mean + float64(side*sd)
		if i := s.parameter - len(l.of.Parameters); i >= 0 {
			value = l.of.Coefficients[i].Value(value)
		}
		k := len(v.Checks)
		v.add("nonlinear", name, gain, strengthNats, fmt.Sprintf("%s is not where its interval says: with %s = %.3g, the readings are explained better by %.1f nats than at its mean. Its interval is not to be believed; more readings, or more exact ones, would help, and so would a narrower prior", name, name, value, gain))
		if c := &v.Checks[k]; c.Status == Passed && !s.gaussian() {
			c.Status, c.Message = Note, fmt.Sprintf("the interval of %s is approximate: the readings say more of one side, or less of both, than a normal distribution", name)
		}
	}
}
