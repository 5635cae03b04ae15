// Curves: a function of one variable with its band of two standard deviations, and the readings.
import { drawAxes, drawMark, drawPlaces, drawTitle, leftMargin, bottomMargin } from './axes.js';
import { Scale, widened } from './scale.js';

// CurvePicture paints
//
//   {title, x, yLabel, mean, sd, lo, hi, marks, gain, places}
//
// x is {label, lo, hi, log}. mean and sd are at equal steps along the axis; marks are {x, value, sigma, other, faint, state}:
// those of other quantities stand on the axis. lo and hi are the least range of the vertical axis, and range, if it is
// given, is all of it, so that an axis keeps still under a drag. gain, where it is given, is drawn as a strip along the
// bottom, and places {x} are numbered. left is the least margin, for pictures one above the other,
// and before is what the mean was before a drag.
export class CurvePicture {
  height(ctx, style, width, data, most) {
    return Math.min(most, Math.max(width * data.aspect, 9 * style.em));
  }

  paint(ctx, style, width, height, data) {
    const { theme } = style;
    const [lo, hi] = data.range ?? extent(data);
    const bottom = height - bottomMargin(style, data.x.label), top = data.title ? 2.1 * style.em : 0.8 * style.em;
    const y = new Scale(lo, hi, bottom, top);
    const needed = leftMargin(ctx, style, y, data.yLabel) + 0.2 * style.em, left = Math.max(data.left ?? 0, needed);
    const box = { left, top, right: width - 1.2 * style.em, bottom };
    const x = new Scale(data.x.lo, data.x.hi, box.left, box.right, data.x.log);
    const n = data.mean.length;
    const across = (i) => box.left + (i / (n - 1)) * (box.right - box.left);

    if (lo < 0 && hi > 0) line(ctx, [[box.left, y.pixel(0)], [box.right, y.pixel(0)]], theme.faint, 0.6 * style.line);
    if (data.gain) this.strip(ctx, style, box, data.gain);
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left - 2, box.top - 2, box.right - box.left + 4, box.bottom - box.top + 4);
    ctx.clip();
    for (const [from, to] of pieces(data.before ?? [])) {
      line(ctx, Array.from({ length: to - from }, (_, k) => [across(from + k), y.pixel(data.before[from + k])]), theme.soft, style.line, [4 * style.line, 3 * style.line]);
    }
    for (const [from, to] of pieces(data.mean)) {
      if (data.sd) {
        ctx.beginPath();
        for (let i = from; i < to; i++) ctx.lineTo(across(i), y.pixel(data.mean[i] + 2 * data.sd[i]));
        for (let i = to - 1; i >= from; i--) ctx.lineTo(across(i), y.pixel(data.mean[i] - 2 * data.sd[i]));
        ctx.fillStyle = theme.band;
        ctx.fill();
      }
      ctx.beginPath();
      for (let i = from; i < to; i++) ctx.lineTo(across(i), y.pixel(data.mean[i]));
      ctx.strokeStyle = theme.mean;
      ctx.lineWidth = 0.15 * style.em;
      ctx.lineJoin = 'round';
      ctx.stroke();
    }
    ctx.restore();
    const marks = data.marks.map((mark) => ({ ...mark, px: x.pixel(mark.x), py: mark.other ? box.bottom : y.pixel(mark.value) }));
    for (const mark of marks) {
      if (mark.sigma > 0 && !mark.other && mark.state !== 'off') {
        ctx.globalAlpha = mark.faint ? 0.35 : 1;
        line(ctx, [[mark.px, y.pixel(mark.value - mark.sigma)], [mark.px, y.pixel(mark.value + mark.sigma)]], theme.ink, 1.2 * style.line);
        ctx.globalAlpha = 1;
      }
    }
    for (const mark of marks) drawMark(ctx, style, mark.px, mark.py, mark, marks.length);
    if (data.places) drawPlaces(ctx, style, data.places.map((p) => ({ px: x.pixel(p.x), py: box.bottom })), marks);
    if (data.title) drawTitle(ctx, style, box, data.title);
    drawAxes(ctx, style, box, x, y, data.x.label, data.yLabel);
    return { box, x, y, marks, needed, range: [lo, hi] };
  }

  // strip draws the gain of a further sensor along the axis.
  strip(ctx, style, box, gain) {
    let most = 0;
    for (const g of gain) if (g > most) most = g;
    if (!(most > 0)) return;
    const tall = 0.18 * (box.bottom - box.top), n = gain.length;
    ctx.beginPath();
    ctx.moveTo(box.left, box.bottom);
    for (let i = 0; i < n; i++) ctx.lineTo(box.left + (i / (n - 1)) * (box.right - box.left), box.bottom - tall * Math.max(0, gain[i] || 0) / most);
    ctx.lineTo(box.right, box.bottom);
    ctx.fillStyle = 'rgba(179, 38, 30, 0.25)';
    ctx.fill();
    ctx.strokeStyle = style.theme.alarm;
    ctx.lineWidth = style.line;
    ctx.stroke();
  }
}

// extent is the range of everything that a picture shows, with a margin.
export function extent({ mean, sd, marks, lo, hi }) {
  let least = lo ?? Infinity, most = hi ?? -Infinity;
  const include = (v) => {
    if (v < least) least = v;
    if (v > most) most = v;
  };
  if (lo === undefined) {
    for (let i = 0; i < mean.length; i++) {
      include(mean[i] - 2 * (sd?.[i] ?? 0));
      include(mean[i] + 2 * (sd?.[i] ?? 0));
    }
  }
  for (const m of marks) {
    if (m.other || m.faint) continue;
    include(m.value - (m.sigma || 0));
    include(m.value + (m.sigma || 0));
  }
  return widened(least, most);
}

// pieces returns the ranges of indices, each of two or more, where there are numbers.
export function pieces(values) {
  const out = [];
  let start = -1;
  for (let i = 0; i <= values.length; i++) {
    const sound = i < values.length && Number.isFinite(values[i]);
    if (sound && start < 0) start = i;
    if (!sound && start >= 0) {
      if (i - start > 1) out.push([start, i]);
      start = -1;
    }
  }
  return out;
}

export function line(ctx, points, colour, width, dashes = []) {
  ctx.save();
  ctx.beginPath();
  for (const [px, py] of points) ctx.lineTo(px, py);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(dashes);
  ctx.stroke();
  ctx.restore();
}
