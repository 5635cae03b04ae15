package spec

import (
	"regexp"
	"testing"
)

func TestDatesAreToldFromExpressions(t *testing.T) {
	starts, day := regexp.MustCompile(`^[0-9]{4}-[0-9]|^[0-9]+/[0-9]+/`), regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)
	for _, text := range []string{"", "2024-05-01", "2024-5-1", "2024 - 5", "2*365", "1/2", "1/2/2024", "12345-6", "2024-05-0x", "2024-05-01 12:00", "05/06/2024", "2024/05", "/1/", "1//2", "2024-", "999-1-1"} {
		if got, want := startsAsDate(text), starts.MatchString(text); got != want {
			t.Errorf("%q starts as a date: %v", text, got)
		}
		if got, want := isDay(text), day.MatchString(text); got != want {
			t.Errorf("%q is a day: %v", text, got)
		}
	}
}
