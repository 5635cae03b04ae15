import assert from 'node:assert/strict';
import test from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { History, decodeText, fromLink, readFiles, same, toLink } from './state.js';

const state = (text) => ({ files: { 'problem.toml': text, 'a.csv': 'x,value\n' }, main: 'problem.toml' });

test('undo and redo go through what was open, and a change forgets what was undone', () => {
  const history = new History();
  for (const text of ['1', '2', '3']) history.push(state(text));
  assert.equal(history.push(state('3')), false);
  assert.equal(history.undo().files['problem.toml'], '2');
  assert.equal(history.undo().files['problem.toml'], '1');
  assert.equal(history.undo(), null);
  assert.equal(history.redo().files['problem.toml'], '2');
  history.push(state('4'));
  assert.equal(history.redo(), null);
  assert.equal(history.undo().files['problem.toml'], '2');
});

test('a history is bounded', () => {
  const history = new History();
  for (let i = 0; i < 1000; i++) history.push(state(String(i)));
  assert.equal(history.steps.length, 200);
  assert.equal(history.present.files['problem.toml'], '999');
});

test('states are the same if their files are', () => {
  assert.ok(same(state('1'), { ...state('1'), ghosts: [1] }));
  assert.ok(!same(state('1'), state('2')));
  assert.ok(!same(state('1'), { files: { 'problem.toml': '1' }, main: 'problem.toml' }));
});

test('a link carries a problem, whatever is in it', async () => {
  const problem = { files: { 'problem.toml': 'title = "Wärme ∂u/∂t"\n'.repeat(3000), 'b/ä.csv': '1;2\r\n' }, main: 'problem.toml' };
  const link = await toLink(problem);
  assert.match(link, /^#p=[A-Za-z0-9_-]+$/);
  assert.ok(link.length < 2000, `${link.length} letters`);
  assert.deepEqual(await fromLink(link), problem);
});

test('a fragment that carries nothing is none, and a broken link throws', async () => {
  assert.equal(await fromLink(''), null);
  assert.equal(await fromLink('#stage'), null);
  const link = (value) => `#p=${deflateRawSync(Buffer.from(value)).toString('base64url')}`;
  await assert.rejects(fromLink('#p=AAAA'));
  await assert.rejects(fromLink(link('{"files": {"a": 1}, "main": "a"}')));
  await assert.rejects(fromLink(link('{"files": {"a": "1"}, "main": "b"}')));
  await assert.rejects(fromLink(link('not JSON')));
});

test('a link that swells without end is refused', async () => {
  const bomb = `#p=${deflateRawSync(Buffer.alloc(40 << 20)).toString('base64url')}`;
  await assert.rejects(fromLink(bomb), /too much/);
});

test('of chosen files the TOML file is the problem, and a zip is what it holds', async () => {
  const file = (name, text) => new File([text], name);
  assert.deepEqual(await readFiles([file('a.csv', '1'), file('p.toml', 't')]), { files: { 'a.csv': '1', 'p.toml': 't' }, main: 'p.toml' });
  await assert.rejects(readFiles([file('a.csv', '1')]), /\.toml/);
  const zip = Uint8Array.from(atob(zipped), (c) => c.charCodeAt(0));
  assert.deepEqual(await readFiles([new File([zip], 'problem.zip')]), { files: { 'problem.toml': 'title = "zip"\n', 'tables/a.csv': 'x,value\n1,2\n' }, main: 'problem.toml' });
  await assert.rejects(readFiles([new File(['no zip'], 'problem.zip')]), /cannot be read/);
});

test('text is read as what it is', () => {
  const bytes = (s) => Uint8Array.from(Buffer.from(s, 'latin1'));
  assert.equal(decodeText(bytes('\xff\xfea\0\xe4\0')), 'aä');
  assert.equal(decodeText(bytes('\xfe\xff\0a\0\xe4')), 'aä');
  assert.equal(decodeText(bytes('\xc3\xa4')), 'ä');
  assert.equal(decodeText(bytes('\xe4x')), 'äx');
});

// A folder "study" with problem.toml and tables/a.csv, deflated.
const zipped = 'UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAAGAAAAc3R1ZHkvUEsDBBQAAAAIAAAAIQBIOmgeEAAAAA4AAAASAAAAc3R1ZHkvcHJvYmxlbS50b21sK8ksyUlVsFVQqsosUOICAFBLAwQUAAAACAAAACEAUh2iOg4AAAAMAAAAEgAAAHN0dWR5L3RhYmxlcy9hLmNzdqvQKUvMKU3lMtQx4gIAUEsBAhQDFAAAAAAAAAAhAAAAAAAAAAAAAAAAAAYAAAAAAAAAAAAAAIABAAAAAHN0dWR5L1BLAQIUAxQAAAAIAAAAIQBIOmgeEAAAAA4AAAASAAAAAAAAAAAAAACAASQAAABzdHVkeS9wcm9ibGVtLnRvbWxQSwECFAMUAAAACAAAACEAUh2iOg4AAAAMAAAAEgAAAAAAAAAAAAAAgAFkAAAAc3R1ZHkvdGFibGVzL2EuY3N2UEsFBgAAAAADAAMAtAAAAKIAAAAAAA==';
