// Package examples holds the example problems: a folder for each, with
// problem.toml and the sensor readings that it names.
//
//	file, err := spec.ReadFS(examples.Files, "poisson/problem.toml", nil)
//
// `bpielm example NAME DIR` writes one with fresh readings.
package examples

import "embed"

// Files holds every example's folder.
//
//go:embed */problem.toml */*.csv
var Files embed.FS
