// Runs a Go program for js/wasm that is built with the tag hostkernel in node, as go_js_wasm_exec runs others:
//
//	go run ./cmd/bpielm-page/bundle DIR
//	GOOS=js GOARCH=wasm go test -tags hostkernel -exec "node --stack-size=8192 $PWD/cmd/bpielm-page/node/exec.js DIR" ./mat/...
//
// DIR holds door.wasm, room.wasm, host.mjs and wasm_exec.js. With BPIELM_NO_ROOM=1 in the environment it is a host without
// relaxed instructions.
"use strict";

const fs = require("fs");
const path = require("path");
const [dir, file] = process.argv.slice(2);

if (Number.parseInt(process.versions.node) < 21) require("v8").setFlagsFromString("--experimental-wasm-relaxed-simd");
globalThis.require = require;
globalThis.fs = fs;
globalThis.path = path;
globalThis.performance ??= require("performance");
require(path.resolve(dir, "wasm_exec.js"));

const go = new Go();
go.argv = process.argv.slice(3);
go.env = Object.assign({ TMPDIR: require("os").tmpdir() }, process.env);
go.exit = process.exit;

(async () => {
	const { run } = await import("file://" + path.resolve(dir, "host.mjs"));
	const read = (name) => WebAssembly.compile(fs.readFileSync(name));
	process.on("exit", (code) => { // the event loop is empty, but the program has not ended
		if (code === 0 && !go.exited) {
			go._pendingEvent = { id: 0 };
			go._resume();
		}
	});
	const room = process.env.BPIELM_NO_ROOM ? Promise.reject(new Error("none")) : read(path.join(dir, "room.wasm"));
	await run(go, read(file), read(path.join(dir, "door.wasm")), room);
})().catch((err) => {
	console.error(err);
	process.exit(1);
});
