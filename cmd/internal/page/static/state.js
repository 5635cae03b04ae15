// What is open, and what was: the files of a problem and nothing else. A link carries them in its fragment.

const mostSteps = 200;

// History holds states, each {files, main, ...}, with the present one among them. Undoing is going back to a former one.
export class History {
  constructor() {
    this.steps = [];
    this.at = -1;
  }

  get present() { return this.steps[this.at]; }
  get canUndo() { return this.at > 0; }
  get canRedo() { return this.at < this.steps.length - 1; }

  // push makes a state the present one, unless it is that already, and forgets those that were undone.
  push(state) {
    if (this.present && same(this.present, state)) return false;
    this.steps.length = this.at + 1;
    this.steps.push(state);
    if (this.steps.length > mostSteps) this.steps.shift();
    this.at = this.steps.length - 1;
    return true;
  }

  undo() { return this.canUndo ? this.steps[--this.at] : null; }
  redo() { return this.canRedo ? this.steps[++this.at] : null; }
}

// same tells whether two states have the same files.
export function same(a, b) {
  const names = Object.keys(a.files);
  return a.main === b.main && names.length === Object.keys(b.files).length && names.every((name) => a.files[name] === b.files[name]);
}

// toLink returns the fragment that carries a problem: "#p=" and base64url of the deflated JSON.
export async function toLink({ files, main }) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify({ files, main })), new CompressionStream('deflate-raw'));
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return `#p=${btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

const mostInflated = 32 << 20; // bytes; a link may be anybody's

// fromLink returns the problem that a fragment carries, null if it carries none. It throws if that cannot be read.
export async function fromLink(fragment) {
  const match = /^#p=([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!match) return null;
  const text = atob(match[1].replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const { files, main } = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'), mostInflated)));
  const sound = typeof main === 'string' && files && Object.values(files).every((text) => typeof text === 'string') && typeof files[main] === 'string';
  if (!sound) throw new Error('the link does not carry a problem');
  return { files, main };
}

async function through(bytes, stream, most = Infinity) {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {}); // the reader fails, too, and is waited for
  const parts = [];
  let length = 0;
  for (const reader = stream.readable.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new Error('the link carries too much');
    parts.push(value);
  }
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

// readFiles turns files that somebody has chosen into a problem: the TOML file and all the others, or what is in a zip.
export async function readFiles(chosen) {
  const files = {};
  for (const file of chosen) {
    if (/\.zip$/i.test(file.name)) Object.assign(files, await unzip(new Uint8Array(await file.arrayBuffer())));
    else files[file.name] = decodeText(new Uint8Array(await file.arrayBuffer()));
  }
  const problems = Object.keys(files).filter((name) => /\.toml$/i.test(name)).sort();
  const main = problems.find((name) => /(^|\/)problem\.toml$/i.test(name)) ?? problems[0];
  if (!main) throw new Error('A problem is a .toml file and the tables that it names: choose them together, or a zip of them.');
  const folder = main.slice(0, main.lastIndexOf('/') + 1); // names in the problem file are relative to it
  if (!folder) return { files, main };
  const inside = Object.entries(files).filter(([name]) => name.startsWith(folder)).map(([name, text]) => [name.slice(folder.length), text]);
  return { files: Object.fromEntries(inside), main: main.slice(folder.length) };
}

// decodeText reads text as UTF-8, as UTF-16 if it begins with a mark that says so, or else as what Windows calls ANSI.
export function decodeText(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

// unzip returns the files of a zip archive as texts.
export async function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const broken = () => new Error('The zip file cannot be read.');
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw broken();
  const files = {};
  let at = view.getUint32(end + 16, true), left = mostInflated;
  for (let n = view.getUint16(end + 10, true); n > 0; n--) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw broken();
    const method = view.getUint16(at + 10, true), size = view.getUint32(at + 20, true);
    const nameSize = view.getUint16(at + 28, true), more = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameSize));
    at += 46 + nameSize + more;
    if (name.endsWith('/')) continue;
    if (local + 30 > bytes.length) throw broken();
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = bytes.subarray(begin, begin + size);
    if (method !== 0 && method !== 8) throw broken();
    const plain = method === 0 ? packed : await through(packed, new DecompressionStream('deflate-raw'), left);
    left -= plain.length;
    files[name] = decodeText(plain);
  }
  return files;
}
