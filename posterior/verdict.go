package posterior

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/bpielm/bpielm/mat"
	"github.com/bpielm/bpielm/system"
)

// A Verdict says whether a posterior can be trusted, judged by what is visible without knowing the
// truth: whether equations hold between their points, whether readings agree with each other and
// with their noise, whether the layers are large enough, and what the data leave open.
type Verdict struct {
	Sound  bool // no check has failed
	Checks []Check
	// Combinations of parameters that are known far better than each of them: first pairs, then triples.
	Combinations []Combination

	priors  []system.Parameter // of the linear parameters, with the sd of all of them
	learned float64            // how many degrees of freedom of the solution the readings determine; NaN: not known
}

// Status is the outcome of a check.
type Status string

// A note is not an error, but worth knowing.
const (
	Passed Status = "passed"
	Note   Status = "note"
	Failed Status = "failed"
)

// A Check is one thing that was examined.
type Check struct {
	// Kind is "equation", "condition", "readings", "reading", "offset", "pattern", "noise", "layers",
	// "roughness", "parameter", "slack" or "region".
	Kind   string
	Name   string // of the equation, the sensors, the parameter
	Status Status
	// Value is what was found, and Limit the value above which the check fails, in units that Message
	// states.
	Value, Limit float64
	Message      string // what it means and what to do; "" where it passed
}

const (
	// falseAlarm is the probability that a check of readings fails although all is well, for all
	// readings or groups together.
	falseAlarm = 0.001
	// unmetShare is the largest residual of an equation between its points, relative to its largest
	// term.
	unmetShare = 0.1
	// looseSlack is the slack, relative to the largest term, above which the readings have overruled
	// an equation.
	looseSlack = 0.03
	// unsettledLimit is how far answers may move with other layers, in standard deviations. If the
	// larger layer were the truth, an answer that moves farther would on average be outside its 95 %
	// band.
	unsettledLimit = 2
	// openShare is the share of the domain that must be open to be noted; the solution is open where
	// its sd exceeds openSize times the variation of the field.
	openShare, openSize = 0.1, 0.5
	// wrongEquation and wrongNoise are by how many nats an alternative must explain the readings
	// better to be three times as probable as what was stated, if one equation in a hundred is wrong
	// (log 99 + log 3) and one noise level in ten (see misstated; log 9 + log 3).
	wrongEquation, wrongNoise = 5.7, 3.3
	// rough is how many prior standard deviations a layer's scale may lie above the median.
	rough = 3
	// allNoise is the ratio of learned noise to the variation of the readings above which everything
	// is noise.
	allNoise = 0.7
	// freshPoints is at how many points an equation is checked.
	freshPoints = 64
)

// Examine checks a posterior of the problem. It fails as Predict does, and for a posterior without
// uncertainty.
func (q *Posterior) Examine(p *system.Problem) (*Verdict, []ReadingCheck, error) {
	if q.halt != nil {
		q.halt.one.Lock()
		defer q.halt.one.Unlock()
	}
	return q.judge(p)
}

// judge is Examine, with the halt of the posterior held.
func (q *Posterior) judge(p *system.Problem) (*Verdict, []ReadingCheck, error) {
	v, readings, err := q.examine(p)
	if err == nil {
		v.sources(q, p)
		v.size(p)
		v.together(q)
	}
	return v, readings, err
}

// examine is Examine, without combinations of parameters.
func (q *Posterior) examine(p *system.Problem) (*Verdict, []ReadingCheck, error) {
	if !q.uncertain() {
		return nil, nil, errCertain
	}
	if q.at != nil {
		v, readings, err := q.at.q.examine(q.at.problem)
		if err == nil {
			v.coefficients(q)
		}
		return v, readings, err
	}
	if q.only != nil {
		v, readings, err := q.only.examine(p)
		if err == nil {
			v.solutions(q)
		}
		return v, readings, err
	}
	if n := q.nonlinear; n != nil {
		linear, problem := n.linear, n.problem
		if linear == nil {
			linear, problem = n.explored.q, n.explored.problem
		}
		first := *linear
		first.nonlinear, first.coefficients = nil, nil // they are parameters of the problem to first order
		v, readings, err := first.examine(problem)
		if err == nil && n.linear == nil {
			v.apart(q, n)
		}
		if err == nil {
			err = v.curvature(n)
		}
		if err == nil {
			v.strengths(n)
		}
		return v, readings, err
	}
	if err := q.fitted(p); err != nil {
		return nil, nil, err
	}
	p = balanced(p) // as it was solved
	compared, numbers, count, err := p, [][]int(nil), p.Readings(), error(nil)
	if l := q.large; l != nil {
		p, count = l.with(p), l.total()
		if compared, numbers, err = l.checked(q, p); err != nil {
			return nil, nil, err
		}
	}
	v := &Verdict{Sound: true, learned: math.NaN()}
	z := naturalSizes(p)
	if err := z.refine(p, q); err != nil {
		return nil, nil, err
	}
	if err := v.equations(q, p, z); err != nil {
		return nil, nil, err
	}
	v.jumps(p, z)
	all, err := q.innovations()
	if err != nil {
		return nil, nil, err
	}
	readings, err := q.leaveOneOut(compared, all)
	if err != nil {
		return nil, nil, err
	}
	for i := range readings {
		if r := &readings[i]; numbers != nil && numbers[r.Sensors] != nil {
			r.Reading = numbers[r.Sensors][r.row]
		}
	}
	if err := v.outliers(compared, readings, count, func() (*remaining, error) { return q.remaining(compared, readings, all) }); err != nil {
		return nil, nil, err
	}
	v.setAside(compared, readings)
	v.alternatives(q, p, z)
	v.equationsNearby(q, p, z)
	if err := v.groups(q, compared, readings, all); err != nil {
		return nil, nil, err
	}
	v.learnedNoise(q, compared, all)
	if e := q.components[0].residuals; e != nil {
		v.learned = float64(e.data) - q.leftOver(all, func(*residuals, int) bool { return true })
	}
	if err := v.layers(q, p); err != nil {
		return nil, nil, err
	}
	v.roughness(q, p)
	if err := v.determined(q, p, z); err != nil {
		return nil, nil, err
	}
	return v, readings, nil
}

// fitted fails where the posterior cannot be one of this problem, judged by numbers of things.
func (q *Posterior) fitted(p *system.Problem) error {
	groups, rows := 0, 0
	for i := range p.Sensors {
		n := len(p.Sensors[i].Values)
		if n == 0 {
			continue
		}
		if groups < len(q.summary.Noise) {
			if known := q.summary.Noise[groups].readings; known > 0 && known != n && !q.large.hasDrawn(i, n) {
				return dataError(sensorsName(&p.Sensors[i], i), "the posterior is of %d readings, the problem has %d", known, n)
			}
		}
		groups, rows = groups+1, rows+n
	}
	switch {
	case groups != len(q.summary.Noise):
		return dataError("sensors", "the posterior is of %d groups of readings, the problem has %d", len(q.summary.Noise), groups)
	case len(p.Parameters) != len(q.names):
		return dataError("parameters", "the posterior has %d, the problem %d", len(q.names), len(p.Parameters))
	case len(p.Fields) != len(q.fields):
		return dataError("fields", "the posterior has %d, the problem %d", len(q.fields), len(p.Fields))
	}
	for k := range q.components {
		if e := q.components[k].residuals; e != nil && e.data != rows {
			return dataError("sensors", "the posterior is of %d readings, the problem has %d", e.data, rows)
		}
	}
	return nil
}

// Failures returns the messages of the checks that failed.
func (v *Verdict) Failures() []string { return v.messages(Failed) }

// Notes returns the messages of the notes.
func (v *Verdict) Notes() []string { return v.messages(Note) }

func (v *Verdict) messages(s Status) []string {
	var list []string
	for _, c := range v.Checks {
		if c.Status == s {
			list = append(list, c.Message)
		}
	}
	return list
}

// add appends a check that fails above its limit.
func (v *Verdict) add(kind, name string, value, limit float64, message string) {
	c := Check{Kind: kind, Name: name, Status: Passed, Value: value, Limit: limit}
	if !(value <= limit) {
		c.Status, c.Message, v.Sound = Failed, message, false
	}
	v.Checks = append(v.Checks, c)
}

// equations checks the residual halfway between neighbouring points.
func (v *Verdict) equations(q *Posterior, p *system.Problem, z *sizes) error {
	for label, e := range p.Demands() {
		name, size := label.String(), z.residual[label.Index]
		points := between(p, e.Points)
		if label.Kind == system.Conditions && len(p.Variables) == 1 {
			points = e.Points // single points: what lies between them is not theirs
		}
		mean, sd, err := q.Predict(e.Residual, points)
		if err != nil {
			return err
		}
		// Uncertainty is no violation.
		off := math.Sqrt(math.Max(meanSquare(mean)-meanSquare(sd), 0))
		limit := unmetShare * size
		if e.SD > 0 {
			limit = math.Max(limit, 3*e.SD)
		}
		if e.Tolerance > 0 {
			limit = math.Max(limit, 3*e.Tolerance*size)
		}
		v.add(string(label.Kind), name, off/size, limit/size,
			fmt.Sprintf("%s does not hold: it is off by %.0f %% of its largest term. Do the readings contradict it, or are more points or neurons needed?", name, 100*off/size))
	}
	if t := q.summary.Tolerance; q.summary.Method == BPIELM && finite(t) {
		v.add("equation", "all", t, looseSlack, fmt.Sprintf("the readings fit only where the equations are missed by about %.0f %% of their largest terms. Is a term or a coefficient wrong, or are there too few neurons?", 100*t))
	}
	return nil
}

func meanSquare(x []float64) float64 { return squares(x) / float64(len(x)) }

// between returns points halfway between some of the points and their nearest neighbours; isolated
// points themselves.
func between(p *system.Problem, points *mat.Dense) *mat.Dense {
	n, d := points.Dims()
	count := min(n, freshPoints)
	fresh := mat.NewDense(count, d, nil)
	for k := range count {
		i := k * n / count
		nearest, least := i, math.Inf(1)
		for j := range n {
			if j == i {
				continue
			}
			if d := distance2(p, points.Row(i), points.Row(j)); d < least {
				nearest, least = j, d
			}
		}
		for c := range d {
			fresh.Set(k, c, points.At(i, c)+float64(0.5*(points.At(nearest, c)-points.At(i, c))))
		}
	}
	return fresh
}

// maxOutliers bounds how many readings are named.
const maxOutliers = 5

// outliers names readings that do not fit, the worst first, and then those that do not fit without
// these either: a gross error moves the prediction of its neighbours. With Student's noise some are
// expected. Of large groups, readings has only some of the count that there are, with the worst. Without left, readings are compared only once.
func (v *Verdict) outliers(p *system.Problem, readings []ReadingCheck, count int, left func() (*remaining, error)) error {
	limit := normalAbove(falseAlarm / float64(2*count))
	now, named := slices.Clone(readings), make([]bool, len(readings))
	worst := func() int {
		at := -1
		for i := range now {
			if !named[i] && !p.Sensors[now[i].Sensors].Student && (at < 0 || compareAbs(now[i].Standardised, now[at].Standardised) > 0) {
				at = i
			}
		}
		return at
	}
	at := worst()
	if at < 0 || math.Abs(now[at].Standardised) <= limit {
		largest := 0.0
		if at >= 0 {
			largest = math.Abs(now[at].Standardised)
		}
		v.add("reading", "all", largest, limit, "")
		return nil
	}
	var others *remaining
	var list []ReadingCheck
	more := false
	for k := 0; at >= 0 && math.Abs(now[at].Standardised) > limit; k++ {
		if k == maxOutliers {
			more = true
			break
		}
		list = append(list, now[at])
		named[at] = true
		if left != nil {
			if others == nil {
				var err error
				if others, err = left(); err != nil {
					return err
				}
			}
			if err := others.leave(at); err != nil {
				return err
			}
			for i := range now {
				if named[i] {
					continue
				}
				if now[i] = others.check(i); compareAbs(readings[i].Standardised, now[i].Standardised) < 0 {
					now[i] = readings[i] // only what does not fit either way is named
				}
			}
		}
		at = worst()
	}
	sort.SliceStable(list, func(i, j int) bool { return compareAbs(list[i].Standardised, list[j].Standardised) > 0 })
	for _, c := range list {
		name := fmt.Sprintf("%s, reading %d", sensorsName(&p.Sensors[c.Sensors], c.Sensors), c.Reading+1)
		v.add("reading", name, math.Abs(c.Standardised), limit, fmt.Sprintf(`%s is %.3g, %.1f standard deviations from the value that the others and the equations predict (%.4g ± %.2g). Is it mistyped, or its position? Leave it out, or use noise = "student", which bears readings that are wrong.`, name, c.Value, math.Abs(c.Standardised), c.LeftOutMean, c.LeftOutSD))
	}
	if more {
		v.Checks = append(v.Checks, Check{Kind: "reading", Name: "others", Status: Note, Limit: limit, Message: "further readings do not fit"})
	}
	return nil
}

const (
	// With Student's noise a reading is set aside if its weight is below ignored, and it lies more than
	// farOff standard deviations from what the others predict, with the noise of those that are good.
	ignored, farOff = 0.1, 4
)

// setAside notes the readings with Student's noise that hardly count.
func (v *Verdict) setAside(p *system.Problem, readings []ReadingCheck) {
	var list []ReadingCheck
	for _, c := range readings {
		if !p.Sensors[c.Sensors].Student || !(c.Weight < ignored) {
			continue
		}
		own := float64(c.Sigma * c.Sigma)
		predicted := math.Max(float64(c.LeftOutSD*c.LeftOutSD)-own/c.Weight, 0)
		if c.Standardised = (c.Value - c.LeftOutMean) / math.Sqrt(own+predicted); math.Abs(c.Standardised) > farOff {
			list = append(list, c)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return compareAbs(list[i].Standardised, list[j].Standardised) > 0 })
	for k, c := range list {
		if more := len(list) - k; k == maxOutliers {
			v.Checks = append(v.Checks, Check{Kind: "reading", Name: "others", Status: Note, Limit: farOff, Message: fmt.Sprintf("set aside: and %d more", more)})
			break
		}
		name := fmt.Sprintf("%s, reading %d", sensorsName(&p.Sensors[c.Sensors], c.Sensors), c.Reading+1)
		v.Checks = append(v.Checks, Check{Kind: "reading", Name: name, Status: Note, Value: math.Abs(c.Standardised), Limit: farOff,
			Message: fmt.Sprintf("set aside: %s, is %.6g where %.4g is predicted", name, c.Value, c.LeftOutMean)})
	}
}

func compareAbs(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// alternatives checks whether something other than what was stated explains the readings better.
func (v *Verdict) alternatives(q *Posterior, p *system.Problem, z *sizes) {
	if len(q.tried) == 0 {
		return
	}
	student := slices.ContainsFunc(p.Sensors, func(s system.Sensors) bool { return s.Student })
	best, stated, free, louder, logFactor := math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), 0.0
	for _, t := range q.tried {
		best, stated = math.Max(best, t.plain()), math.Max(stated, t.stated())
		if !math.IsNaN(t.doubts.free) {
			free = math.Max(free, t.doubts.free+t.logPrior())
		}
		if e := t.doubts.louder + t.prior; !math.IsNaN(e) && e > louder {
			louder, logFactor = e, t.doubts.logFactor
		}
	}
	for i, e := range q.Parameters() {
		// A parameter with only a guessed size costs evidence just for being found; without the
		// equations it would not be there.
		if p.Parameters[i].SD == 0 {
			best += math.Max(mat.Log(z.parameter[i]/e.SD), 0)
		}
	}
	if !math.IsInf(free, 0) {
		v.add("equation", "without", free-best, wrongEquation, fmt.Sprintf("without the equations the readings are explained better (by %.1f nats): is an equation or a condition wrong?", free-best))
	}
	if !math.IsInf(louder, 0) && logFactor > 0 && !student {
		v.add("readings", "noise", louder-stated, wrongNoise, fmt.Sprintf("the readings are explained better if their noise is %.1f times as large as stated (by %.1f nats): is sigma too small, is an equation wrong, or are there outliers?", mat.Exp(logFactor), louder-stated))
	}
}

// fewestPairs is the least number of neighbouring pairs for the pattern check: sums of few products
// are far from normal.
const fewestPairs = 12

// groups checks each group of readings as a whole against all others: its noise, its offset, and
// whether errors of neighbouring readings are correlated.
func (v *Verdict) groups(q *Posterior, p *system.Problem, readings []ReadingCheck, all [][]innovation) error {
	count := 0
	for i := range p.Sensors {
		if len(p.Sensors[i].Values) > 0 {
			count++
		}
	}
	alarm := falseAlarm / float64(count)
	limit := normalAbove(alarm)
	group, first := 0, 0
	for i := range p.Sensors {
		s := &p.Sensors[i]
		n := len(s.Values)
		if n == 0 {
			continue
		}
		learned := q.summary.Noise[group].Learned
		group++
		scale := make([]float64, n)
		for k := range scale {
			scale[k] = 1
			if !learned {
				scale[k] = 1 / readings[first+k].Sigma
			}
		}
		var pairs [][2]int
		if slices.ContainsFunc(all, func(in []innovation) bool { return in != nil }) {
			pairs = neighbours(p, s.Points)
		}
		f, err := q.compare(all, first, first+n, scale, pairs)
		if err != nil {
			return err
		}
		first += n
		if f == nil {
			continue
		}
		name := sensorsName(s, i)
		if !learned && !s.Student {
			v.add("readings", name, f.misfit, limit, fmt.Sprintf("%s do not fit their noise: together they are %.1f standard deviations too far from what the equations and the other sensors allow (chi-squared %.3g for %d readings). Is sigma too small, is the equation wrong, or are there outliers?", name, f.misfit, f.chi2, n))
		}
		if noise := q.summary.Noise[group-1].Sigma; learned {
			size := sizeOf(s.Values)
			v.add("readings", name, noise/size, allNoise, fmt.Sprintf("the equations explain next to nothing of %s: their noise would be %.2g, and they vary by %.2g. Is an equation or a position wrong, or are there too few neurons?", name, noise, size))
		}
		if count > 1 && !s.Student {
			v.add("offset", name, math.Abs(f.offset), normalAbove(alarm/2), fmt.Sprintf("%s contradict the other sensors: on average they are %.1f standard deviations to one side of what the others predict. Are they offset, or measured elsewhere?", name, math.Abs(f.offset)))
		}
		if len(pairs) >= fewestPairs && !s.Student {
			v.add("pattern", name, f.pattern, limit+1, fmt.Sprintf("errors of neighbouring readings of %s are correlated (%.1f standard deviations beyond chance): the equations or the layers miss something that the readings see", name, f.pattern))
		}
	}
	return nil
}

// leastLeft is how many degrees of freedom the solution must leave of readings whose noise is learned:
// with fewer than one, the noise is what its prior and that of the solution say.
const leastLeft = 1

// learnedNoise checks whether there is something to learn the noise of readings from. Where there are
// fewer readings than the solution has degrees of freedom, it may follow all of them by chance, and an
// evidence that takes them for exact is too sure of everything else.
func (v *Verdict) learnedNoise(q *Posterior, p *system.Problem, all [][]innovation) {
	group, first := 0, 0
	for i := range p.Sensors {
		s := &p.Sensors[i]
		n := len(s.Values)
		if n == 0 {
			continue
		}
		noise, row := &q.summary.Noise[group], first
		group, first = group+1, first+n
		if !noise.Learned {
			continue
		}
		sharing := func(e *residuals, i int) bool { return e.group[i] == e.group[row] }
		if left := q.leftOver(all, sharing); finite(left) {
			name := sensorsName(s, i)
			v.add("noise", name, 1/left, 1/leastLeft, fmt.Sprintf("the solution can follow all readings of %s, and leaves %.2g degrees of freedom to learn their noise from: if it is larger than %.2g, the answers are too sure. State sigma, or add readings", name, left, noise.Sigma))
		}
	}
}

// leftOver is how many degrees of freedom the solution leaves of some of the readings' rows: the trace of
// R V, averaged over layers and hyper-parameters; NaN where that is not available.
func (q *Posterior) leftOver(all [][]innovation, of func(e *residuals, row int) bool) float64 {
	sum, total := 0.0, 0.0
	for k := range all {
		e := q.components[k].residuals
		for n := range all[k] {
			w := float64(q.components[k].weight * all[k][n].share)
			total += w
			for i, left := range all[k][n].left[:e.data] {
				if of(e, i) {
					sum += float64(w * left)
				}
			}
		}
	}
	return sum / total
}

const (
	// A layer holds a parameter back if it cannot produce mostBeyond of what the parameter stands for, and the readings leave it a standard
	// deviation of more than leastFilled of the room that it has there. Of twelve draws of two wells, the layers of the two that were far off
	// could not produce 12 and 32 %, and those of the others 0.4 to 2 %. The limit lies halfway between 2 and 12 %, as a factor.
	mostBeyond, leastFilled = 0.05, 0.5
	// With patches it is not known what they can produce. Then a layer holds a parameter back where others leave it roomier times as much
	// room, and the readings do not narrow it to 1/roomier of the room that there is.
	roomier = 10
	// mostHeld is the largest share of the layers, by weight, that may hold a parameter back.
	mostHeld = 0.5
)

// held finds parameters that are held back because the layers cannot follow their effect on the
// solution. larger is the room that a larger layer with patches leaves them, if known.
func (v *Verdict) held(q *Posterior, p *system.Problem, larger []float64) {
	for i := range p.Parameters {
		room, share := 0.0, 0.0
		if i < len(larger) {
			room = larger[i]
		}
		for _, t := range q.tried {
			if i < len(t.room) {
				room = math.Max(room, t.room[i])
			}
		}
		for k := range q.components {
			if c := &q.components[k]; c.holds(i, room) {
				share += c.weight
			}
		}
		name := p.Parameters[i].Name
		v.add("layers", name, share, mostHeld, fmt.Sprintf("the layers cannot follow the effect of %s on the solution, and hold it back whatever the readings say: there are too few neurons, or their scales are too small", name))
	}
}

// holds tells whether a layer holds a parameter back. room is the most that other layers leave it.
func (c *component) holds(parameter int, room float64) bool {
	switch {
	case parameter >= len(c.room):
		return false
	case c.beyond != nil:
		return c.beyond[parameter] > mostBeyond && c.filled[parameter] > leastFilled
	}
	return roomier*c.room[parameter] < room && roomier*c.filled[parameter] > 1
}

// layers checks whether the answers depend on the number of neurons.
func (v *Verdict) layers(q *Posterior, p *system.Problem) error {
	if q.summary.Method != BPIELM || q.larger == nil {
		return nil
	}
	m := movement{moved: q.summary.Unsettled}
	message := fmt.Sprintf("with the last doubling to %d neurons the answers still moved by %.1f of their standard deviations: the layers are too small", q.summary.Neurons, m.moved)
	if m.moved == 0 {
		var err error
		if m, err = q.larger(); err != nil {
			return err
		}
		message = fmt.Sprintf("with %d neurons instead of %d the answers move by %.1f of their standard deviations: the layers are too small", m.neurons, q.summary.Neurons, m.moved)
		if m.where != "" {
			message = fmt.Sprintf("within %s, the answers move by %.1f of their standard deviations with %d neurons in each patch instead of %d: there are too few patches, or neurons in them", m.where, m.moved, m.neurons, q.summary.Neurons)
		}
	}
	v.add("layers", "neurons", m.moved, unsettledLimit, message)
	v.held(q, p, m.room)
	return nil
}

// roughness checks whether the solution is far rougher than solutions usually are in a box chosen
// for them: noise, outliers or a wrong equation look like that.
func (v *Verdict) roughness(q *Posterior, p *system.Problem) {
	for i, octaves := range q.octaves {
		name := p.Variables[i].Name
		v.add("roughness", name, octaves/scaleOctaves, rough, fmt.Sprintf("the solution would have to vary %.0f times as steeply along %s as solutions usually do in a domain. Is an equation wrong, or are readings or their positions? If it is that steep, the answer may be right", exp2(octaves), name))
	}
}

// determined notes what the data leave open.
func (v *Verdict) determined(q *Posterior, p *system.Problem, z *sizes) error {
	v.parameters(q, p, z.parameter)
	if err := v.slack(q, p); err != nil {
		return err
	}
	return v.regions(q, p, z)
}

// parameters notes what the data leave open of parameters, of which those that state no prior have one this wide.
func (v *Verdict) parameters(q *Posterior, p *system.Problem, wide []float64) {
	v.priors = slices.Clone(p.Parameters)
	for i, e := range q.Parameters() {
		if v.priors[i].SD == 0 {
			v.priors[i].SD = wide[i]
		}
		prior := v.priors[i].SD
		c := Check{Kind: "parameter", Name: e.Name, Status: Passed, Value: e.SD / prior, Limit: uninformed}
		if c.Value > uninformed {
			c.Status, c.Message = Note, fmt.Sprintf("the data hardly determine %s: its standard deviation %.3g is close to that of its prior, %.3g", e.Name, e.SD, prior)
		}
		v.Checks = append(v.Checks, c)
	}
	v.separate(q, p)
}

// separate notes parameters that are not identifiable separately.
func (v *Verdict) separate(q *Posterior, p *system.Problem) {
	if correlation := q.ParameterCorrelation(); correlation != nil {
		for i := range p.Parameters {
			for j := range i {
				if r := correlation.At(i, j); math.Abs(r) > inseparable {
					a, b := p.Parameters[j].Name, p.Parameters[i].Name
					v.Checks = append(v.Checks, Check{Kind: "parameter", Name: a + ", " + b, Status: Note, Value: math.Abs(r), Limit: inseparable,
						Message: fmt.Sprintf("the data can hardly tell %s and %s apart: their correlation is %.5f", a, b, r)})
				}
			}
		}
	}
}

// regions notes where in the domain the data leave fields open.
func (v *Verdict) regions(q *Posterior, p *system.Problem, z *sizes) error {
	points, err := system.Collocation(p.Variables, p.Domain, 4*framePoints, frameSeed)
	if err != nil {
		return err
	}
	for f, name := range p.Fields {
		_, sd, err := q.Predict(system.Field(f), points)
		if err != nil {
			return err
		}
		low, high := make([]float64, len(p.Variables)), make([]float64, len(p.Variables))
		open, all := 0, 0
		for i, s := range sd {
			if f < len(p.Where) && p.Where[f] != nil && !p.Where[f].Contains(points.Row(i)) {
				continue
			}
			if all++; s <= openSize*z.field[f] {
				continue
			}
			for d, x := range points.Row(i) {
				if open == 0 || x < low[d] {
					low[d] = x
				}
				if open == 0 || x > high[d] {
					high[d] = x
				}
			}
			open++
		}
		c := Check{Kind: "region", Name: name, Status: Passed, Value: float64(open) / float64(max(all, 1)), Limit: openShare}
		if c.Value > openShare {
			var where []string
			of := "the domain"
			if all < len(sd) {
				of = "the part of the domain where it exists"
			}
			for d, variable := range p.Variables {
				if !p.DependsOn(f, d) {
					continue
				}
				where = append(where, fmt.Sprintf("%s = %.3g to %.3g", variable.Name, low[d], high[d]))
			}
			c.Status, c.Message = Note, fmt.Sprintf("the data hardly determine %s in %.0f %% of %s, within %s", name, 100*c.Value, of, strings.Join(where, ", "))
		}
		v.Checks = append(v.Checks, c)
	}
	return nil
}

// normalAbove returns the number that a standard normal one exceeds with probability p < 1/2.
func normalAbove(p float64) float64 { return -mixture{{1, 0, 1}}.quantile(p) }
