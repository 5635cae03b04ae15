// Scales: from numbers to pixels and back, and the numbers that an axis is labelled with.

const mostIntervals = 6;

// Scale maps [lo, hi] to [from, to] in pixels, linearly or by the logarithm.
export class Scale {
  constructor(lo, hi, from, to, log = false) {
    Object.assign(this, { lo, hi, from, to, log: log && lo > 0 });
  }

  // share is the place of v between the ends, 0 at lo and 1 at hi.
  share(v) {
    return this.log ? Math.log(v / this.lo) / Math.log(this.hi / this.lo) : (v - this.lo) / (this.hi - this.lo);
  }

  // at is the inverse of share.
  at(share) {
    return this.log ? this.lo * Math.pow(this.hi / this.lo, share) : this.lo + share * (this.hi - this.lo);
  }

  pixel(v) { return this.from + this.share(v) * (this.to - this.from); }
  value(pixel) { return this.at((pixel - this.from) / (this.to - this.from)); }
  clamp(v) { return Math.min(Math.max(v, this.lo), this.hi); }

  // ticks returns [{value, label}], as many as have room: size(label) is the length of a label along the axis in pixels.
  ticks(size) {
    const length = Math.abs(this.to - this.from);
    return this.log ? decades(this, size) : spaced(this.lo, this.hi, length, size);
  }
}

// linearTicks are round numbers, spaced by 1, 2 or 5 times a power of ten, at most intervals + 1 of them.
export function linearTicks(lo, hi, intervals = mostIntervals) {
  if (!(lo < hi)) return [{ value: lo, label: String(lo) }];
  const [step, place] = roundStep((hi - lo) / intervals);
  const slack = 1e-9 * (hi - lo);
  const first = Math.ceil((lo - slack) / step);
  const ticks = [];
  for (let i = 0; i <= intervals; i++) {
    const k = first + i;
    if (k * step > hi + slack || (i > 0 && k === first)) break;
    ticks.push({ value: Math.min(Math.max(k * step, lo), hi), label: tickLabel(k * step, place) });
  }
  return ticks;
}

// spaced returns the ticks with the most labels that do not overlap.
function spaced(lo, hi, length, size) {
  for (let intervals = mostIntervals; intervals > 0; intervals--) {
    const ticks = linearTicks(lo, hi, intervals);
    if (ticks.length > 1 && apart(ticks, (v) => (length * (v - lo)) / (hi - lo), size)) return ticks;
  }
  return linearTicks(lo, hi, 1);
}

const apart = (ticks, pixel, size) => ticks.every((t, i) => i === 0 || Math.abs(pixel(t.value) - pixel(ticks[i - 1].value)) >= (size(t.label) + size(ticks[i - 1].label)) / 2);

// decades marks whole multiples of the powers of ten, and labels 1, 2 and 5 times them, or only powers where those are crowded.
function decades(scale, size) {
  const all = [];
  const slack = 1e-9;
  for (let k = Math.floor(Math.log10(scale.lo)); Math.pow(10, k) <= scale.hi * (1 + slack); k++) {
    for (let digit = 1; digit < 10; digit++) {
      const value = Number(`${digit}e${k}`);
      if (value < scale.lo * (1 - slack) || value > scale.hi * (1 + slack)) continue;
      all.push({ value, digit, power: k, text: shortPower(value) });
    }
  }
  for (const chosen of [[1, 2, 5], [1, 3], [1]]) {
    const labelled = all.filter((t) => chosen.includes(t.digit));
    if (labelled.length > 1 && labelled.length <= mostIntervals + 2 && apart(labelled.map((t) => ({ value: t.value, label: t.text })), (v) => scale.pixel(v), size)) {
      return all.map((t) => ({ value: t.value, label: chosen.includes(t.digit) ? t.text : '' }));
    }
  }
  let every = 1;
  const powers = all.filter((t) => t.digit === 1);
  while (powers.length / every > mostIntervals) every++;
  return all.map((t) => ({ value: t.value, label: t.digit === 1 && t.power % every === 0 ? t.text : '' }));
}

const shortPower = (v) => (v >= 1e-4 && v < 1e6 ? String(v) : v.toExponential().replace('e+', 'e'));

// roundStep returns the smallest 1, 2 or 5 times a power of ten that is at least least, and the exponent of that power.
function roundStep(least) {
  const place = Math.floor(Math.log10(least));
  const power = Math.pow(10, place);
  for (const factor of [1, 2, 5]) if (factor * power >= least * (1 - 1e-9)) return [factor * power, place];
  return [10 * power, place + 1];
}

function tickLabel(v, place) {
  if (Math.abs(v) < 1e-300) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(v)) + 1e-9);
  if (magnitude > 5 || place < -4) {
    const digits = Math.max(0, Math.min(20, magnitude - place));
    return v.toExponential(digits).replace('e+', 'e');
  }
  return v.toFixed(Math.max(0, -place));
}

// widened adds a margin of 5 % to a range. An empty range, or one of a single number, becomes one that can be drawn.
export function widened(lo, hi) {
  if (!(lo <= hi)) return [-1, 1];
  let margin = 0.05 * (hi - lo);
  if (margin <= 1e-12 * Math.max(Math.abs(lo), Math.abs(hi))) margin = Math.max(0.05 * Math.abs(lo), 1e-12);
  return [lo - margin, hi + margin];
}
