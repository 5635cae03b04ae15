import assert from 'node:assert/strict';
import test from 'node:test';
import { closest } from './drag.js';
import { latest } from './flow.js';
import { View, dateOf } from './view.js';

const variable = (name, lo, hi, more = {}) => ({ name, label: name, range: [lo, hi], ...more });
const problem = (variables, readings, fields = [{ name: 'u', label: 'u' }]) => ({
  variables, fields, sensors: [{ name: 'a.csv', measures: 'u', field: 0, sigma: 0.1, readings }],
});

test('one variable is a curve, two are a map, and more have sliders', () => {
  const one = new View(problem([variable('x', 0, 1)], []));
  assert.deepEqual([one.isMap, one.axes, one.sliders], [false, [0], []]);
  const two = new View(problem([variable('x', 0, 1), variable('t', 0, 4)], []));
  assert.deepEqual([two.isMap, two.axes, two.sliders], [true, [0, 1], []]);
  two.mode = 'curve';
  assert.deepEqual([two.isMap, two.axes, two.sliders, two.at[1]], [false, [0], [1], 2]);
  two.along = 1;
  assert.deepEqual([two.axes, two.sliders], [[1], [0]]);
  const three = new View(problem([variable('x', 0, 1), variable('y', 0, 2), variable('t', 1, 100, { log: true })], []));
  assert.deepEqual([three.axes, three.sliders], [[0, 1], [2]]);
  assert.ok(Math.abs(three.at[2] - 10) < 1e-9);
  assert.equal(three.aspect, 2);
  assert.deepEqual(three.sliceOf(41).size, [41, 41]);
});

test('a field that depends on fewer variables has a picture of its own', () => {
  const p = problem([variable('x', 0, 1), variable('t', 0, 1)], [], [{ name: 'u' }, { name: 'q', over: [1] }]);
  const view = new View(p);
  view.field = 1;
  assert.deepEqual([view.isMap, view.axes, view.name], [false, [1], 'q']);
});

test('a view outlives a change of the problem, but not another problem', () => {
  const p = problem([variable('x', 0, 1), variable('t', 0, 4)], []);
  const view = new View(p);
  Object.assign(view, { mode: 'curve', at: [0.5, 3.5] });
  const changed = new View(problem([variable('x', 0, 1), variable('t', 0, 3)], []), view);
  assert.deepEqual([changed.mode, changed.at], ['curve', [0.5, 3]]);
  assert.equal(new View(problem([variable('z', 0, 1)], []), view).mode, 'map');
});

test('a station that reads again and again is one mark, with the reading nearest to the slider', () => {
  const readings = [0, 1, 2, 3, 4].map((t) => ({ x: [0.2, 0.3, t], value: t }));
  const view = new View(problem([variable('x', 0, 1), variable('y', 0, 1), variable('t', 0, 4)], readings));
  view.at[2] = 3.05;
  const marks = view.marks();
  assert.equal(marks.length, 1);
  assert.deepEqual([marks[0].value, marks[0].refs.length, marks[0].faint], [3, 5, false]);
  view.at[2] = 2.5;
  assert.ok(view.marks()[0].faint);
});

test('what was switched off is marked so, and a sensor of another quantity as one', () => {
  const p = problem([variable('x', 0, 1)], [{ x: [0.1], value: 1 }]);
  p.sensors.push({ name: 'b.csv', measures: 'u_x', field: -1, readings: [{ x: [0.5], value: 2, sigma: 0.3 }] });
  const marks = new View(p).marks([{ group: 0, x: [0.7], value: 3 }]);
  assert.deepEqual(marks.map((m) => [m.state, m.other, m.sigma]), [['off', false, 0.1], ['', false, 0.1], ['', true, 0.3]]);
});

test('dates are written where a variable has a beginning', () => {
  assert.equal(dateOf({ name: 't', start: '2021-03-04T00:00:00Z', unit: 'd' }, 1.5), '2021-03-05 12:00');
  assert.equal(dateOf({ name: 't', unit: 'd' }, 1), '');
  assert.equal(dateOf({ name: 't', start: '2021-03-04T00:00:00Z', unit: 'furlong' }, 1), '');
});

test('the mark nearest to the pointer is grasped, none if it is too far', () => {
  const marks = [{ px: 0, py: 0 }, { px: 10, py: 0 }];
  assert.equal(closest(marks, { px: 7, py: 1 }, 14), marks[1]);
  assert.equal(closest(marks, { px: 40, py: 0 }, 14), null);
});

test('of calls that come while one runs only the last is made', async () => {
  const made = [], ends = [];
  const call = latest((n) => new Promise((end) => { made.push(n); ends.push(end); }));
  call(1);
  call(2);
  call(3);
  assert.deepEqual(made, [1]);
  ends[0]();
  await new Promise(setImmediate);
  assert.deepEqual(made, [1, 3]);
  ends[1]();
  await new Promise(setImmediate);
  call(4);
  assert.deepEqual(made, [1, 3, 4]);
});
