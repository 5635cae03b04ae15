package findings

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// WriteJSON writes a value as JSON, indented unless indent is empty. JSON has no NaN
// and no infinity, and they are not answers: the error says where one stands.
func WriteJSON(w io.Writer, v any, indent string) error {
	if err := findNaN(reflect.ValueOf(v), ""); err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", indent)
	return out.Encode(v)
}

// NotFinite refuses to write a number that is not finite.
type NotFinite struct {
	place string
	x     float64
}

func (e *NotFinite) Error() string {
	return fmt.Sprintf("%s is %g, not a finite number", e.place, e.x)
}

// findNaN returns an error with the place of the first number that is not finite, for
// example parameters.lambda.mean.
func findNaN(v reflect.Value, place string) error {
	switch v.Kind() {
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return &NotFinite{strings.TrimPrefix(place, "."), x}
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return findNaN(v.Elem(), place)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() || name == "-" {
				continue
			}
			if name == "" {
				name = field.Name
			}
			if err := findNaN(v.Field(i), place+"."+name); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := findNaN(v.Index(i), place+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if err := findNaN(v.MapIndex(key), place+"."+key.String()); err != nil {
				return err
			}
		}
	}
	return nil
}
