// Package paired compares two versions of the program while others use the machine. It runs
// both in turns and compares each run with its neighbours.
//
//	repository, err := paired.Open(ctx, ".")
//	before, err := repository.Build(ctx, "v0.1.0") // in a temporary worktree
//	after, err := repository.Build(ctx, "")        // the files as they are
//	outcome, err := paired.Run(ctx, 15, measure, nil)
//	for _, c := range outcome.Judge(0.03) {
//		c.Ratio, c.Lower, c.Upper, c.Verdict
//	}
//
// A block is before, after, after, before; the next block is the other way round. It has two
// pairs of neighbours, and each pair gives a ratio. What changes slowly, such as the clock of
// the processor or the load of the machine, is the same for both runs of a pair; what grows
// from run to run cancels between the pairs of a block. If both versions are the same, ratios
// are as often above one as below it, whatever their distribution is: the interval comes from
// Wilcoxon's signed ranks, and a few wild runs hardly move it.
//
// Begin reading at run.go, then signed.go.
package paired
