// Package rowtree summarises many rows [H y] of a least-squares problem, such as the readings
// of one group of sensors. Summaries of parts can be made anywhere, stored, sent and merged.
// The result has the same bits however the rows are divided.
//
//	var t rowtree.Tree
//	for leaf := range leaves { // each of rowtree.LeafRows rows; the last may have fewer
//		q := mat.NewTSQR(columns)
//		q.Append(h, y)
//		t.Add(rowtree.Leaf(leaf, q, values, sigma))
//	}
//	whole := t.Whole() // whole.Triangle: R, Q'y and the norm of the rest
//
// Floating-point sums depend on their order, so that order is fixed: rows are divided into
// leaves, and leaves are merged as siblings of a binary tree, in which node k of level j
// covers leaves k 2^j to (k+1) 2^j - 1. A part of the rows is a run of leaves. Its Tree has
// the largest complete nodes in that run, at most two of each level, and these are what is
// sent. Whoever adds the nodes of all parts, in the order of their rows, repeats exactly the merges that
// remain. Nodes that are left over at the end are merged from the right.
//
// Begin reading at Tree.Add; node.go is the summary, encode.go its form in files.
package rowtree
