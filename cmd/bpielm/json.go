package main

import (
	"errors"

	"github.com/bpielm/bpielm/cmd/internal/findings"
)

// answerOf names the problem or model file in an error of its answer. Errors of
// writing are left as they are.
func answerOf(path string, err error) error {
	var none *findings.NotFinite
	if errors.As(err, &none) {
		return inFile(path, err)
	}
	return err
}
