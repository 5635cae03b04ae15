import assert from 'node:assert/strict';
import test from 'node:test';
import { count, duration, estimate, pair, rounded, short, significant, within } from './format.js';

test('an estimate has two digits of its sd, as in the summaries', () => {
  for (const [mean, sd, want] of [
    [0.491234, 0.0031, '0.4912 ± 0.0031'], [2.25, 0.0351, '2.250 ± 0.035'], [-10.3, 1.31, '-10.3 ± 1.3'], [123.4, 56, '123 ± 56'],
    [123456, 2345, '123456 ± 2345'], [0, 0.5, '0.00 ± 0.50'], [1, NaN, '1'], [1.23456789, 0, '1.23457'],
    [1.5e12, 2e9, '1.5000e+12 ± 2.0e+09'], [3e-12, 1e-13, '3.00e-12 ± 1.0e-13'],
  ]) assert.equal(estimate(mean, sd), want);
});

test('both ends of an interval have the same decimal place', () => {
  assert.deepEqual(pair(6.901e-7, 7.065e-7, 4.2e-9), ['6.901e-07', '7.065e-07']);
  assert.deepEqual(pair(0.9, 1.1, 0.05), ['0.900', '1.100']);
});

test('numbers are short', () => {
  assert.equal(short(1 / 3), '0.3333');
  assert.equal(short(1200), '1200');
  assert.equal(short(0), '0');
  assert.equal(significant(1.23e-9, 4), '1.23e-09');
  assert.equal(significant(123456789, 4), '1.235e+08');
  assert.equal(significant(0.99999, 4), '1');
  assert.equal(within(-49994.75, -50010, -49990), '-49994.75');
});

test('what a drag leaves in a table tells a thousandth of the range, and no more', () => {
  assert.equal(rounded(0.123456789, -1, 1), 0.123);
  assert.equal(rounded(1234.56, 0, 100000), 1235);
  assert.equal(rounded(0.00012345678, 0, 0.001), 0.000123);
});

test('words', () => {
  assert.equal(duration(0.4), 'a second');
  assert.equal(duration(14.6), '15 seconds');
  assert.equal(duration(200), '3 minutes');
  assert.equal(duration(undefined), '');
  assert.equal(count(1, 'reading'), '1 reading');
  assert.equal(count(12345, 'reading'), '12,345 readings');
});
