// Instantiates a Go program that is built with the tag hostkernel, with the modules of mat/asm/host beside it.

// run runs a program and resolves when it has ended. go is a Go of wasm_exec.js. The others are compiled modules, or
// promises of them; room may fail, where the browser lacks relaxed vector instructions.
export async function run(go, program, door, room) {
	const optional = Promise.resolve(room).catch(() => null); // before anything is waited for, or the browser reports it
	const held = new WebAssembly.Instance(await door);
	go.importObject.bpielm = held.exports;
	const instance = await WebAssembly.instantiate(await program, go.importObject);
	const kernel = await optional;
	if (kernel) {
		const host = { memory: instance.exports.mem, table: held.exports.table };
		held.exports.open.value = new WebAssembly.Instance(kernel, { host }).exports.fused();
	}
	await go.run(instance);
}
