// Package results writes files that appear only when they are complete.
//
// WriteFile writes one file: first under a temporary name, which is then renamed. A
// Folder does the same for several files that belong together, so that nobody ever sees
// a mixture of an old and a new result:
//
//	f, err := results.Open("out")
//	if err != nil {
//		return err
//	}
//	defer f.Discard() // does nothing after Commit
//	if err := f.Write("solution.csv", table.WriteCSV); err != nil {
//		return err
//	}
//	paths, err := f.Commit()
//
// Other files in the folder are never touched.
//
// Begin reading at folder.go, then commit.go, which says how several files change at
// once.
package results
