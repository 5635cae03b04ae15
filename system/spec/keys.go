package spec

import "maps"

// shape says what a problem file may hold at one place.
type shape struct {
	keys  map[string]*shape // a table with these keys
	named *shape            // a table whose other keys are names that the user chooses
	array bool              // an array of tables of this shape
	value bool              // a value, perhaps instead of a table
}

// problemKeys lists all sections and keys of a problem file.
var problemKeys = &shape{keys: map[string]*shape{
	"title":      aValue,
	"fields":     {value: true, named: &shape{value: true, keys: table("over", "unit", "label").keys}},
	"variables":  {named: &shape{value: true, keys: table("range", "axis", "unit", "label", "start").keys}},
	"constants":  {named: &shape{value: true, keys: table("value", "unit").keys}},
	"tables":     {named: aValue},
	"sizes":      {named: aValue},
	"parameters": {named: table("mean", "sd", "min", "max", "median", "factor", "unit", "label")},
	"shapes":     {named: &shape{keys: kindsOfShapes(nil)}},
	"domain":     {keys: kindsOfShapes(map[string]*shape{"shape": aValue})},
	"equation":   arrayOf("pde", "points", "grid", "file", "where", "refine", "tolerance", "sd"),
	"condition":  arrayOf("on", "where", "equals", "periodic", "of", "points", "tolerance", "sd", "exact"),
	"sensors": {array: true, keys: map[string]*shape{
		"file":        aValue,
		"measures":    aValue,
		"sigma":       aValue,
		"noise":       aValue,
		"freedom":     aValue,
		"noise_group": aValue,
		"average":     {value: true, named: aValue},
		"reference":   {named: aValue},
		"columns":     {named: aValue},
		"time":        aValue,
		"missing":     aValue,
		"at":          {named: aValue},
		"places":      {value: true, keys: map[string]*shape{"file": aValue, "columns": {named: aValue}}, named: &shape{named: aValue}},
	}},
	"features": {keys: map[string]*shape{
		"neurons":    aValue,
		"scale":      {value: true, named: aValue},
		"seed":       aValue,
		"draw":       aValue,
		"activation": aValue,
		"patches":    aValue,
	}},
	"fit": table("method", "inference", "path", "tolerance", "ensemble"),
	"output": {keys: map[string]*shape{
		"grid":  aValue,
		"exact": {value: true, named: aValue},
		"where": {value: true, named: aValue},
	}},
}}

// kindsOfShapes returns the kinds of shapes together with keys.
func kindsOfShapes(keys map[string]*shape) map[string]*shape {
	all := map[string]*shape{
		"ball":    table("center", "radius"),
		"box":     {named: aValue},
		"curve":   {named: aValue},
		"disk":    table("center", "radius"),
		"inside":  aValue,
		"polygon": aValue,
	}
	maps.Copy(all, keys)
	return all
}

var aValue = &shape{value: true}

func table(keys ...string) *shape {
	s := &shape{keys: map[string]*shape{}}
	for _, k := range keys {
		s.keys[k] = aValue
	}
	return s
}

func arrayOf(keys ...string) *shape {
	s := table(keys...)
	s.array = true
	return s
}

// at returns the shape under a key, or nil if there is no such key.
func (s *shape) at(key string) *shape {
	if inner := s.keys[key]; inner != nil {
		return inner
	}
	return s.named
}
