// Package findings is what programs say of an answer as JSON: the unknown parameters, the
// noise and the verdict. bpielm solve --json prints it for one problem, bpielm-beam fleet for
// each of many.
//
//	line := struct {
//		Parameters map[string]findings.Parameter `json:"parameters,omitempty"`
//		Verdict    *findings.Verdict             `json:"verdict,omitempty"`
//	}{findings.Parameters(q, file), findings.VerdictOf(verdict)}
//	err := findings.WriteJSON(w, &line, "")
//
// What is unknown, or not a finite number, is left out. Keys are added, never renamed.
//
// Begin reading at findings.go.
package findings
