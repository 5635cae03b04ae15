// Numbers for people, written as the program's own summaries and figures write them.

// significant writes v to some significant digits, as %g does.
export function significant(v, digits) {
  if (!Number.isFinite(v)) return String(v);
  if (v === 0) return '0';
  const power = Math.floor(Math.log10(Math.abs(Number(v.toPrecision(digits)))));
  if (power < -5 || power >= Math.max(digits, 6)) {
    const [mantissa, exponent] = v.toExponential(digits - 1).split('e');
    return trimZeros(mantissa) + power10(exponent);
  }
  return trimZeros(v.toFixed(Math.min(100, Math.max(0, digits - 1 - power))));
}

function trimZeros(s) {
  return s.includes('.') ? s.replace(/\.?0+$/, '') : s;
}

// short writes a number to four significant digits.
export const short = (v) => significant(v, 4);

// estimate writes `mean ± sd`: two significant digits of sd, and mean to the same decimal place.
export function estimate(mean, sd) {
  if (!(sd > 0) || !Number.isFinite(sd)) return significant(mean, 6);
  const [m, s] = pair(mean, sd, sd);
  return `${m} ± ${s}`;
}

// pair writes a and b to the second significant digit of unit, which is positive.
export function pair(a, b, unit) {
  const place = Math.floor(Math.log10(unit)) - 1; // of the last digit
  const size = Math.max(Math.abs(a), Math.abs(b), unit);
  if (size >= 1e7 || unit >= 1e5 || size < 1e-4) return [scientific(a, place), scientific(b, place)];
  const digits = Math.min(100, Math.max(0, -place));
  return [a.toFixed(digits), b.toFixed(digits)];
}

function scientific(v, place) {
  let digits = 2;
  if (v !== 0) digits = Math.max(digits, Math.floor(Math.log10(Math.abs(v))) - place + 1);
  const [mantissa, exponent] = v.toExponential(Math.min(digits - 1, 15)).split('e');
  return mantissa + power10(exponent);
}

// power10 writes an exponent as Go does: e+08.
function power10(exponent) {
  const power = Number(exponent);
  return `e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

// within writes a number from the range [lo, hi] with enough digits to tell places in it apart.
export function within(v, lo, hi) {
  let digits = 4;
  const size = Math.max(Math.abs(lo), Math.abs(hi));
  if (size > hi - lo && hi > lo) digits += Math.ceil(Math.log10(size / (hi - lo)));
  return significant(v, Math.min(digits, 15));
}

// rounded is v to so many decimal places that steps of 1/1000 of the range survive: what a drag leaves in a table.
export function rounded(v, lo, hi) {
  const place = Math.max(0, Math.min(15, 3 - Math.floor(Math.log10(Math.abs(hi - lo) || 1))));
  return Number(v.toFixed(place));
}

// duration writes seconds for a person who waits.
export function duration(seconds) {
  if (!(seconds >= 0)) return '';
  if (seconds < 1.5) return 'a second';
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}

// count writes a number of things: "1 reading", "2 readings".
export const count = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
