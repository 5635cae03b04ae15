// Package host writes the WebAssembly modules beside a Go program in which its kernel relaxed is compiled: Go has no
// vector instructions for WebAssembly, and no fused multiply-add. The modules have both, and work in the memory of the
// Go program.
//
// A program that is built with the tag hostkernel imports the module Door, which is small and knows no memory. A call of
// one of its functions goes on through a table, from WebAssembly to WebAssembly, to the function of the same name of the
// module Room. So a page, or node, does
//
//	door := new WebAssembly.Instance(new WebAssembly.Module(DOOR))
//	go.importObject.bpielm = door.exports
//	instance := await WebAssembly.instantiate(PROGRAM, go.importObject)
//	room := new WebAssembly.Instance(new WebAssembly.Module(ROOM), {host: {memory: instance.exports.mem, table: door.exports.table}})
//	door.exports.open.value = room.exports.fused()
//	go.run(instance)
//
// and leaves the last three out where the browser does not validate Room. Relaxed instructions may fuse a product and a
// sum or not, as suits the processor; fused says whether they do here. The kernel is used if they do, as its bits are
// then those of the definition, and the kernel dekker otherwise.
//
// Begin reading at products.go, which is the innermost loop; code.go is the notation it is written in.
package host
