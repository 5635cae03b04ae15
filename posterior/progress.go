package posterior

// progress tells how much of the work is done, so that the time that it has taken foretells the time that it will take to
// within a factor of two or so. Nobody knows how many layers a search will try; it proceeds in spans, each a share of the
// whole with about so many steps. The numbers here and where spans begin were measured on the examples.
type progress struct {
	to         func(done, total int)
	done       float64 // share of the whole
	from, upTo float64 // of the present span
	steps      int     // done in it,
	expected   int     // of about so many
}

// progressUnits is the total that Config.Progress is told.
const progressUnits = 1000

func newProgress(to func(done, total int)) *progress { return &progress{to: to} }

// layersToCome is about how many layers a linear problem needs: about 40 in each of up to three stages or, where there is
// only one, which then looks everywhere, more the more variables may have different scales.
func layersToCome(stages, variables int) int {
	const perStage, wide = mostSites + mostComponents, 90
	if stages == 1 && variables > 1 {
		return wide
	}
	return stages * perStage
}

// span begins a part of the work.
func (t *progress) span(from, upTo float64, expected int) {
	if t == nil {
		return
	}
	t.from, t.upTo, t.steps, t.expected = from, upTo, 0, max(expected, 1)
	t.reach(from)
}

// more ends a step. Steps beyond those expected come ever closer to the end of the span.
func (t *progress) more() {
	if t == nil {
		return
	}
	t.steps++
	share := float64(t.steps) / float64(t.expected)
	const late = 0.9
	if share > late {
		share = 1 - (1-late)/(1+(share-late)/(1-late))
	}
	t.reach(t.from + float64((t.upTo-t.from)*share))
}

// reach says that at least this share is done.
func (t *progress) reach(share float64) {
	t.done = max(t.done, share)
	if t.to != nil {
		t.to(int(progressUnits*t.done), progressUnits)
	}
}

func (t *progress) finish() {
	if t != nil {
		t.reach(1)
	}
}

// within returns what tells the progress of work inside, which is that from one share of the whole to another.
func (t *progress) within(from, upTo float64) func(done, total int) {
	if t == nil || t.to == nil {
		return nil
	}
	return func(done, total int) {
		t.reach(from + float64((upTo-from)*float64(done)/float64(total)))
		t.from, t.upTo = upTo, 1
	}
}
