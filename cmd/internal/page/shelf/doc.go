// Package shelf finds the problems that a page may open, and the files that each consists of: in a folder of this machine
// or in a file system that is embedded.
//
//	folder, err := shelf.Open("bench/problems")
//	examples, err := folder.List()
//	files, main, err := folder.Take("poisson/problem.toml")
//
// Nothing outside the folder is read, wherever names and links lead, and nothing that is no regular file. What is too large
// for a page is refused. Texts are given in UTF-8, decompressed, since a page knows nothing else.
//
// Begin reading at shelf.go.
package shelf
