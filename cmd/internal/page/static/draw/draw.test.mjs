import assert from 'node:assert/strict';
import test from 'node:test';
import { pinned } from './axes.js';
import { css, entryAt, maps } from './colour.js';
import { extent, pieces } from './curve.js';
import { bits, contours, decode, filled, near, nearest, range, softened, upsampled } from './grid.js';
import { Scale, linearTicks, widened } from './scale.js';

test('colours are those of the figures at the ends and between', () => {
  assert.equal(css(maps.mean, 0), 'rgb(68, 1, 84)');
  assert.equal(css(maps.mean, 1), 'rgb(253, 231, 37)');
  assert.equal(css(maps.sd, 0), 'rgb(0, 0, 4)');
  assert.equal(entryAt(NaN), 0);
  assert.equal(entryAt(-1), 0);
  assert.equal(entryAt(2), entryAt(1));
});

test('ticks are round numbers', () => {
  assert.deepEqual(linearTicks(-1, 1, 2).map((t) => t.label), ['-1', '0', '1']);
  assert.deepEqual(linearTicks(0, 1, 2).map((t) => t.label), ['0', '0.5', '1.0']);
  assert.deepEqual(linearTicks(0.013, 0.049).map((t) => t.label), ['0.02', '0.03', '0.04']);
  assert.deepEqual(linearTicks(0, 3e6, 3).map((t) => t.label), ['0', '1e6', '2e6', '3e6']);
  assert.equal(linearTicks(5, 5).length, 1);
});

test('a logarithmic axis has decades, and labels that have room', () => {
  const s = new Scale(1e-3, 10, 0, 400, true);
  assert.ok(Math.abs(s.pixel(0.1) - 200) < 1e-9);
  assert.ok(Math.abs(s.value(200) - 0.1) < 1e-12);
  const labels = s.ticks(() => 40).map((t) => t.label).filter(Boolean);
  assert.deepEqual(labels, ['0.001', '0.01', '0.1', '1', '10']);
  assert.deepEqual(new Scale(1, 20, 0, 400, true).ticks(() => 30).map((t) => t.label).filter(Boolean), ['1', '2', '5', '10', '20']);
});

test('labels do not overlap', () => {
  for (const length of [40, 90, 200, 900]) {
    const ticks = new Scale(-0.37, 12.9, 0, length).ticks(() => 35).filter((t) => t.label);
    const pixels = ticks.map((t) => ((t.value + 0.37) / 13.27) * length);
    if (length > 80) for (let i = 1; i < ticks.length; i++) assert.ok(pixels[i] - pixels[i - 1] >= 35, `${length}: ${pixels}`);
  }
});

test('a range without extent can be drawn', () => {
  assert.deepEqual(widened(NaN, NaN), [-1, 1]);
  const [lo, hi] = widened(3, 3);
  assert.ok(lo < 3 && hi > 3);
});

test('a grid is little-endian float32', () => {
  const bytes = Buffer.alloc(12);
  bytes.writeFloatLE(1.5, 0);
  bytes.writeFloatLE(NaN, 4);
  bytes.writeFloatLE(-2, 8);
  const values = decode(bytes.toString('base64'));
  assert.deepEqual([...values], [1.5, NaN, -2]);
  assert.deepEqual(range(values), [-2, 1.5]);
});

test('bits go from the lowest to the highest of each byte', () => {
  assert.deepEqual([...bits(Buffer.from([0b00000101, 0b1]).toString('base64'), 10)], [1, 0, 1, 0, 0, 0, 0, 0, 1, 0]);
});

test('cubic convolution goes through the nodes, keeps a line straight, and puts the upper end of an axis on top', () => {
  const columns = 4, rows = 3, values = new Float32Array(12);
  for (let i = 0; i < columns; i++) for (let j = 0; j < rows; j++) values[i * rows + j] = 10 * i + j;
  const fine = upsampled(values, columns, rows, 7, 5);
  assert.equal(fine[0], 2); // top left: i = 0, j = 2
  assert.equal(fine[4 * 7], 0); // bottom left
  assert.equal(fine[4 * 7 + 6], 30); // bottom right
  assert.ok(Math.abs(fine[2 * 7 + 3] - 16) < 1e-5); // the middle
});

test('a grid is continued beyond the edge of the domain, and nothing inside of it changes', () => {
  const values = Float32Array.from([NaN, NaN, NaN, NaN, 7, NaN, NaN, NaN, NaN]);
  const out = filled(values, 3, 3);
  assert.ok(out.every((v) => v === 7));
  assert.ok(Number.isNaN(values[0]));
});

test('softening leaves a full box full and halves a straight edge', () => {
  assert.ok(softened(new Float32Array(25).fill(1), 5, 5).every((v) => v === 1));
  const half = Float32Array.from({ length: 36 }, (_, k) => (k < 18 ? 1 : 0));
  const soft = softened(half, 6, 6);
  assert.equal((soft[2 * 6 + 3] + soft[3 * 6 + 3]) / 2, 0.5);
});

// area is that within closed lines, negative for holes.
function area(lines) {
  let sum = 0;
  for (const l of lines) {
    for (let k = 0; k < l.length; k += 2) {
      const n = (k + 2) % l.length;
      sum += (l[k] * l[n + 1] - l[n] * l[k + 1]) / 2;
    }
  }
  return sum;
}

test('the edge of a full box is the box, and that of a disk a circle', () => {
  assert.ok(Math.abs(area(contours(new Float32Array(12).fill(1), 4, 3)) - 1) < 1e-12);
  assert.deepEqual(contours(new Float32Array(12), 4, 3), []);
  const n = 81;
  const disk = (r) => Float32Array.from({ length: n * n }, (_, k) => (Math.hypot(Math.floor(k / n) / (n - 1) - 0.5, (k % n) / (n - 1) - 0.5) < r ? 1 : 0));
  const lines = contours(softened(disk(0.3), n, n), n, n);
  assert.equal(lines.length, 1);
  assert.ok(Math.abs(area(lines) - Math.PI * 0.09) < 0.005, String(area(lines)));
  for (let k = 0; k < lines[0].length; k += 2) assert.ok(Math.abs(Math.hypot(lines[0][k] - 0.5, lines[0][k + 1] - 0.5) - 0.3) < 0.01);
  const ring = disk(0.4).map((v, k) => v - disk(0.2)[k]);
  assert.equal(contours(ring, n, n).length, 2);
  assert.ok(Math.abs(area(contours(ring, n, n)) - Math.PI * 0.12) < 0.01);
});

test('domains that touch at a corner have closed edges', () => {
  const lines = contours(Float32Array.from([1, 0, 0, 1]), 2, 2);
  assert.equal(lines.length, 2);
  assert.ok(area(lines) > 0);
});

test('the nearest node with a number is found, but none far away', () => {
  const values = new Float32Array(100).fill(NaN);
  values[5 * 10 + 5] = 4;
  assert.equal(nearest(values, 10, 10, 0.4, 0.6), 4);
  assert.ok(Number.isNaN(nearest(values, 10, 10, 0, 0)));
});

test('a curve has gaps where there are no numbers, and its axis holds the band and the readings of the field', () => {
  assert.deepEqual(pieces([1, 2, NaN, 3, NaN, 4, 5, 6]), [[0, 2], [5, 8]]);
  const [lo, hi] = extent({ mean: [0, NaN], sd: [1, NaN], marks: [{ value: 5, sigma: 1 }, { value: 99, other: true }] });
  assert.ok(lo < -2 && lo > -3 && hi > 6 && hi < 7);
});

test('heads of pins are above their tips, unless they would cover one another', () => {
  const r = 10, far = pinned([{ px: 100, py: 100 }, { px: 300, py: 100 }], [], r);
  assert.deepEqual(far, [{ px: 100, py: 85 }, { px: 300, py: 85 }]);
  const tips = [{ px: 100, py: 100 }, { px: 103, py: 100 }, { px: 98, py: 101 }];
  const near = pinned(tips, [], r);
  near.forEach((a, i) => {
    assert.ok(Math.abs(Math.hypot(a.px - tips[i].px, a.py - tips[i].py) - 1.5 * r) < 1e-9);
    for (const b of near.slice(0, i)) assert.ok(Math.hypot(a.px - b.px, a.py - b.py) > 1.8 * r);
  });
  const [head] = pinned([{ px: 100, py: 100 }], [{ px: 100, py: 83 }], r);
  assert.ok(Math.hypot(head.px - 100, head.py - 83) > 1.4 * r);
});

test('what is near a domain is a few nodes from it', () => {
  const inside = Float32Array.from({ length: 100 }, (_, k) => (Math.floor(k / 10) < 3 ? 1 : 0));
  assert.equal(near(inside, 10, 10, 2 / 9, 0.5, 0), true);
  assert.equal(near(inside, 10, 10, 4 / 9, 0.5, 1), false);
  assert.equal(near(inside, 10, 10, 4 / 9, 0.5, 2), true);
});
