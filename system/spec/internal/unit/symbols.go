package unit

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// base are the base units of the SI.
var base = [...]string{"m", "kg", "s", "A", "K", "mol", "cd"}

// symbol is a factor times a product of powers of the base units.
type symbol struct {
	factor    float64
	dimension [len(base)]int
	prefixes  string // that it may have, of those in the list below; "" for none
}

const (
	every  = "Y Z E P T G M k h da d c m u µ μ n p f a z y"
	larger = "k M G" // of what is large already

	minute, hour, day, year = 60.0, 3600.0, 86400.0, 365.25 * 86400
	inch, foot, pound       = 0.0254, 0.3048, 0.45359237
	gravity                 = 9.80665
)

// prefixes of the SI. Both characters for micro are used.
var prefixes = map[string]float64{
	"Y": 1e24, "Z": 1e21, "E": 1e18, "P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "da": 1e1, "d": 1e-1, "c": 1e-2,
	"m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15, "a": 1e-18, "z": 1e-21, "y": 1e-24,
}

// dimension has exponents of m, kg, s, A, K, mol and cd.
type dimension = [len(base)]int

// The dimensions of several symbols are written as in a product of the base units.
const (
	none        = ""
	length      = "m"
	area        = "m2"
	volume      = "m3"
	mass        = "kg"
	time        = "s"
	temperature = "K"
	force       = "m kg s-2"
	pressure    = "m-1 kg s-2"
	energy      = "m2 kg s-2"
	powerOf     = "m2 kg s-3"
)

// definitions are the symbols whose meaning is certain. C (coulomb or Celsius), F, M, kt and the like are not among them.
var definitions = [...]struct {
	name      string
	factor    float64
	dimension string
	prefixes  string
}{
	{"m", 1, length, every}, {"g", 1e-3, mass, every}, {"s", 1, time, every}, {"A", 1, "A", every}, {"K", 1, temperature, every},
	{"mol", 1, "mol", every}, {"cd", 1, "cd", every},

	{"%", 0.01, none, ""}, {"‰", 0.001, none, ""}, {"rad", 1, none, "m u µ μ"}, {"deg", math.Pi / 180, none, ""}, {"°", math.Pi / 180, none, ""},

	{"sec", 1, time, ""}, {"second", 1, time, ""}, {"seconds", 1, time, ""}, {"min", minute, time, ""}, {"minute", minute, time, ""}, {"minutes", minute, time, ""},
	{"h", hour, time, ""}, {"hr", hour, time, ""}, {"hour", hour, time, ""}, {"hours", hour, time, ""}, {"d", day, time, ""}, {"day", day, time, ""}, {"days", day, time, ""},
	{"week", 7 * day, time, ""}, {"weeks", 7 * day, time, ""}, {"a", year, time, larger}, {"yr", year, time, larger}, {"year", year, time, ""}, {"years", year, time, ""},

	{"degC", 1, temperature, ""}, {"°C", 1, temperature, ""}, {"℃", 1, temperature, ""}, {"Celsius", 1, temperature, ""}, {"celsius", 1, temperature, ""},
	{"degF", 5.0 / 9, temperature, ""}, {"°F", 5.0 / 9, temperature, ""}, {"kelvin", 1, temperature, ""},

	{"metre", 1, length, ""}, {"meter", 1, length, ""}, {"Å", 1e-10, length, ""}, {"in", inch, length, ""}, {"inch", inch, length, ""}, {"ft", foot, length, ""}, {"yd", 3 * foot, length, ""},
	{"micron", 1e-6, length, ""},
	{"ha", 1e4, area, ""}, {"l", 1e-3, volume, every}, {"L", 1e-3, volume, every},
	{"t", 1e3, mass, "M G"}, {"lb", pound, mass, ""},

	{"N", 1, force, every}, {"lbf", pound * gravity, force, ""}, {"Pa", 1, pressure, every}, {"bar", 1e5, pressure, every}, {"atm", 101325, pressure, ""},
	{"psi", pound * gravity / (inch * inch), pressure, "k"}, {"ksi", 1000 * pound * gravity / (inch * inch), pressure, ""}, {"Torr", 101325.0 / 760, pressure, ""}, {"mmHg", 133.322387415, pressure, ""},
	{"J", 1, energy, every}, {"Wh", hour, energy, every}, {"eV", 1.602176634e-19, energy, every}, {"cal", 4.184, energy, "k"},
	{"W", 1, powerOf, every}, {"Hz", 1, "s-1", every},

	{"V", 1, "m2 kg s-3 A-1", every}, {"S", 1, "m-2 kg-1 s3 A2", every}, {"Ohm", 1, "m2 kg s-3 A-2", every}, {"ohm", 1, "m2 kg s-3 A-2", every},
	{"Ω", 1, "m2 kg s-3 A-2", every}, {"T", 1, "kg s-2 A-1", every}, {"H", 1, "m2 kg s-2 A-2", every}, {"Wb", 1, "m2 kg s-2 A-1", every},
	{"P", 0.1, "m-1 kg s-1", "c m"}, {"St", 1e-4, "m2 s-1", "c m"},
}

// symbols are the definitions by their names.
var symbols = sync.OnceValue(func() map[string]symbol {
	all := make(map[string]symbol, len(definitions))
	for _, d := range definitions {
		s := symbol{factor: d.factor, prefixes: d.prefixes}
		for _, part := range strings.Fields(d.dimension) {
			name := strings.TrimRight(part, "-0123456789")
			power, err := strconv.Atoi(part[len(name):])
			if err != nil {
				power = 1
			}
			s.dimension[slices.Index(base[:], name)] = power
		}
		all[d.name] = s
	}
	return all
})

// lookUp returns what a symbol means, with its prefix if it has one.
func lookUp(name string) (symbol, bool) {
	if s, known := symbols()[name]; known {
		return s, true
	}
	for letters := 1; letters <= 2; letters++ {
		runes := []rune(name)
		if len(runes) <= letters {
			break
		}
		prefix := string(runes[:letters])
		factor, is := prefixes[prefix]
		s, known := symbols()[string(runes[letters:])]
		if is && known && strings.Contains(" "+s.prefixes+" ", " "+prefix+" ") {
			s.factor *= factor
			return s, true
		}
	}
	return symbol{}, false
}
