// The engine in WebAssembly, in a worker, so that a long solve does not stop the page. transport.js says what is posted.
import './wasm_exec.js';
import { run } from './host.mjs';

const compiled = (name) => WebAssembly.compileStreaming(fetch(new URL(name, import.meta.url)))
  .catch(async () => WebAssembly.compile(await (await fetch(new URL(name, import.meta.url))).arrayBuffer())); // another type of file

// What is asked before the program is ready waits for it.
const early = [];
let call = (request) => early.push(request);
self.onmessage = ({ data }) => call(data.call);

// The program calls these.
self.bpielm = {
  post: (json) => self.postMessage(JSON.parse(json)),
  take: async (name) => { // a file beside this one, as bytes
    const response = await fetch(new URL(name, import.meta.url));
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
    return new Uint8Array(await response.arrayBuffer());
  },
  ready: (version, answer) => {
    call = answer;
    early.splice(0).forEach(answer);
    self.postMessage({ ready: true, version });
  },
};

try {
  await run(new Go(), compiled('bpielm.wasm'), compiled('door.wasm'), compiled('room.wasm'));
  self.postMessage({ failed: 'The engine has ended.' });
} catch (error) {
  self.postMessage({ failed: `The engine cannot start: ${error.message}` });
}
