package asm_test

import (
	"fmt"
	"log"

	"github.com/bpielm/bpielm/mat/asm"
)

// All kernels give the same bits.
func Example() {
	defer asm.Use(asm.Active().Name())
	x := []float64{1, 2, 3, 4, 5}
	for _, k := range asm.All() {
		if err := asm.Use(k.Name()); err != nil {
			log.Fatal(err)
		}
		if s := asm.Active().Dot(x, x); s != 55 {
			fmt.Println(k.Name(), s)
		}
	}
	fmt.Println("done")
	// Output: done
}
