package readings

import (
	"encoding/binary"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// inUTF16 writes a text as spreadsheets do that save "Unicode text".
func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func TestFilesInUTF16(t *testing.T) {
	long := "x\tt\tvalue\tsensor\r\n" + strings.Repeat("0,5\t1\t2\tSüd 🌊\r\n", 9000)
	for _, text := range []string{"x\tt\tvalue\tsensor\r\n0,5\t1\t2\tSüd 🌊\r\n1\t2\t3\tb", long} {
		want := told(t, open(t, text, Config{Variables: plane, Whole: true}))
		if !strings.HasPrefix(want, "2:0.5,1,2,Süd 🌊 ") {
			t.Fatal(want)
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			r, err := NewReader(iotest.OneByteReader(strings.NewReader(inUTF16(text, order))), "test", Config{Variables: plane, Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, r); got != want {
				t.Errorf("%v: got %.200s\nwant %.200s", order, got, want)
			}
		}
	}
}

// Half a unit, and half of a pair, are characters that are none.
func TestBrokenUTF16(t *testing.T) {
	whole := inUTF16("x,t,value,sensor\n0.5,1,2,a", binary.BigEndian)
	for end, want := range map[string]string{"\x00": "a\ufffd", "\xd8\x00": "a\ufffd", "\xd8\x00\x00b": "a\ufffdb", "\xdc\x00\xd8": "a\ufffd\ufffd"} {
		if got := told(t, open(t, whole+end, Config{Variables: plane, Whole: true})); got != "2:0.5,1,2,"+want+" " {
			t.Errorf("%q: %q", end, got)
		}
	}
}
