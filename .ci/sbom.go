//go:build ignore

// sbom writes a software bill of materials in CycloneDX JSON for programs, from what the Go toolchain has written into
// them: the modules with their versions and, as properties, the checksums of go.sum.
//
//	go run .ci/sbom.go PROGRAM... > sbom.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"log"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

type bom struct {
	Format  string `json:"bomFormat"`
	Spec    string `json:"specVersion"`
	Version int    `json:"version"`
	Meta    struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: go run .ci/sbom.go PROGRAM... > sbom.cdx.json")
	}
	b := bom{Format: "CycloneDX", Spec: "1.5", Version: 1}
	modules := map[string]component{}
	for _, path := range os.Args[1:] {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		if b.Meta.Component.Name == "" {
			b.Meta.Component = module(&info.Main)
			b.Meta.Component.Type = "application"
		}
		sum := sha256.Sum256(content)
		name := filepath.Base(path)
		program := component{Type: "application", Ref: name, Name: name, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
		for _, s := range info.Settings {
			switch s.Key {
			case "GOOS", "GOARCH", "GOARM", "CGO_ENABLED", "-trimpath", "vcs.revision", "vcs.modified":
				program.Properties = append(program.Properties, property{"go:" + s.Key, s.Value})
			}
		}
		b.Components = append(b.Components, program)
		needs := []string{"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}
		modules[needs[0]] = component{Type: "library", Ref: needs[0], Name: "std", Version: info.GoVersion, PURL: needs[0]}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			c := module(m)
			modules[c.Ref] = c
			needs = append(needs, c.Ref)
		}
		slices.Sort(needs)
		b.Dependencies = append(b.Dependencies, dependency{name, needs})
	}
	for _, ref := range slices.Sorted(maps.Keys(modules)) {
		b.Components = append(b.Components, modules[ref])
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(b); err != nil {
		log.Fatal(err)
	}
}

func module(m *debug.Module) component {
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
