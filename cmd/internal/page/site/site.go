// Package site says where on a static site the problems lie that come with the page. The command that writes the site and
// the engine that reads it share it.
//
//	data, err := os.ReadFile(filepath.Join(dir, site.Problem("poisson")))
//
// Each problem is its files as JSON and, beside them, the answer to it as page.Session.Ship makes it.
package site

// List is the file with the list of problems, a JSON array of page.Example, the first of which the page opens with.
const List = "examples/list.json"

// Problem is the file of a problem, an Opened as JSON.
func Problem(name string) string { return "examples/" + name + ".json" }

// Answer is the file of the answer to it.
func Answer(name string) string { return "examples/" + name + ".answer" }

// Opened is a problem: the texts of its files by their names, and which of them is the problem file.
type Opened struct {
	Files map[string]string `json:"files"`
	Main  string            `json:"main"`
}
