//go:build purego || (!amd64 && !arm64 && !riscv64 && !(wasm && hostkernel))

package asm

// native returns the kernels other than generic that this machine supports, fastest first.
func native() []*Kernel {
	if errorFree {
		return []*Kernel{&dekker}
	}
	return nil
}

// Strip computes a strip of C.
func (k *Kernel) Strip(s *Strip) { s.byTiles(arithmeticOf(k)) }
