package handbook

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/bpielm/bpielm/system/spec"
)

// Schema returns a JSON schema (draft 2020-12) of problem files, for editors. It has the structure, the types and the
// words of the reference; what a value means is checked by the program only.
func Schema(entries []spec.Entry) ([]byte, error) {
	root := object()
	root.about("$schema", "https://json-schema.org/draft/2020-12/schema")
	root.about("title", "bpielm problem file")
	for i := range entries {
		e := &entries[i]
		at := root
		parts := strings.Split(e.Key, ".")
		for _, part := range parts[:len(parts)-1] {
			at = at.child(part).inside()
		}
		at.add(parts[len(parts)-1], e)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(root.m)
	return text.Bytes(), err
}

// node is a schema under construction; maps are written in the order of their keys.
type node struct{ m map[string]any }

// object is a table with no keys but those added later.
func object() node {
	return node{map[string]any{"type": "object", "additionalProperties": false}}
}

func (n node) about(key string, value any) { n.m[key] = value }

// child returns the schema of a key, or that of names of the user's choice.
func (n node) child(key string) node {
	if key == "NAME" {
		return node{n.m["additionalProperties"].(map[string]any)}
	}
	return node{n.m["properties"].(map[string]any)[key].(map[string]any)}
}

// inside returns the table that a value is, or may be, or that its array holds.
func (n node) inside() node {
	if all, ok := n.m["anyOf"].([]map[string]any); ok {
		for _, m := range all {
			if m["type"] == "object" {
				return node{m}
			}
		}
	}
	if items, ok := n.m["items"].(map[string]any); ok && n.m["type"] == "array" {
		return node{items}
	}
	return n
}

func (n node) add(key string, e *spec.Entry) {
	value := valueSchema(e)
	value["description"] = e.Text
	if e.Default != "" && !strings.HasPrefix(e.Default, "(") {
		value["description"] = e.Text + " Default: " + e.Default + "."
	}
	if key == "NAME" {
		n.m["additionalProperties"] = value
		return
	}
	properties, ok := n.m["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
		n.m["properties"] = properties
	}
	properties[key] = value
	if e.Required {
		required, _ := n.m["required"].([]string)
		n.m["required"] = append(required, key)
	}
}

// valueSchema turns the kinds of a value into types. Expressions of constants are text wherever a number is expected.
func valueSchema(e *spec.Entry) map[string]any {
	number := []string{"number", "string"}
	var all []map[string]any
	for _, of := range []struct {
		kind   spec.Kind
		schema map[string]any
	}{
		{spec.KindText | spec.KindEquation | spec.KindFile, map[string]any{"type": "string", "minLength": 1}},
		{spec.KindExpression | spec.KindNumber, map[string]any{"type": number}},
		{spec.KindCount, map[string]any{"type": []string{"integer", "string"}}},
		{spec.KindNumbers, map[string]any{"type": "array", "items": map[string]any{"type": number}, "minItems": 1}},
		{spec.KindNames, map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1}},
		{spec.KindFlag, map[string]any{"type": "boolean"}},
		{spec.KindTable, object().m},
		{spec.KindTables, map[string]any{"type": "array", "items": object().m, "minItems": 1}},
	} {
		if e.Kind&of.kind != 0 {
			all = append(all, of.schema)
		}
	}
	if len(e.Words) > 0 && e.Kind&(spec.KindNumber|spec.KindCount|spec.KindExpression|spec.KindText) == 0 {
		all = append(all, map[string]any{"enum": e.Words})
	}
	if len(all) == 1 {
		return all[0]
	}
	return map[string]any{"anyOf": all}
}
