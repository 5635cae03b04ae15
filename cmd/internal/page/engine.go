package page

import (
	"context"
	"runtime"
	"time"
)

// Engine makes sessions. Its functions, which may be nil, bring what needs more than the library.
type Engine struct {
	// Examples lists the problems that come with the program.
	Examples func() ([]Example, error)
	// Example returns the files of one of them, the name of its problem file, and what Session.Ship made of it, or nil.
	Example func(name string) (files map[string]string, main string, shipped []byte, err error)
	// Export returns a zip of all that `bpielm solve --out` writes for a problem.
	Export func(ctx context.Context, files map[string]string, main string) ([]byte, error)
	Limits Limits
}

// Limits bound what a page may ask for. 0 stands for the default.
type Limits struct {
	Files   int           // 256
	Bytes   int64         // of all files together: 16 MiB
	Points  int64         // collocation points, rows of tables and points of the output grid together: a million
	Memory  int64         // bytes that a solve may need: 4 GiB, in WebAssembly 2 GiB
	Preview int64         // bytes that are kept so that pictures follow a dragged sensor: 384 MiB, in WebAssembly 256 MiB
	Cells   int           // of one slice: 262,144
	Time    time.Duration // of one solve, verdict or export: 10 minutes
}

// wasm tells whether this is WebAssembly, which has one processor, 4 GiB of memory and nobody who interrupts.
const wasm = runtime.GOARCH == "wasm"

// complete fills in the defaults.
func (l Limits) complete() Limits {
	set := func(to *int64, native, small int64) {
		if *to == 0 {
			if *to = native; wasm {
				*to = small
			}
		}
	}
	if l.Files == 0 {
		l.Files = 256
	}
	set(&l.Bytes, 16<<20, 16<<20)
	set(&l.Points, 1_000_000, 1_000_000)
	set(&l.Memory, 4<<30, 2<<30)
	set(&l.Preview, 384<<20, 256<<20)
	if l.Cells == 0 {
		l.Cells = 1 << 18
	}
	if l.Time == 0 {
		l.Time = 10 * time.Minute
	}
	return l
}

// Open begins a session, with nothing open in it.
func (e *Engine) Open() *Session {
	s := &Session{engine: e, limits: e.Limits.complete(), working: make(chan struct{}, 1)}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}
