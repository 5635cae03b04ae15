// Axes in the style of the program's figures: thin lines off the data, ticks outward, labels with units.

export const family = '"Liberation Sans", Arial, Helvetica, sans-serif';

// A Style is how big and in which colours a picture is drawn. em is the size of its text in pixels.
export class Style {
  constructor(theme, em) {
    Object.assign(this, { theme, em });
  }

  font(ctx, size = 0.875, weight = 400) {
    ctx.font = `${weight} ${size * this.em}px ${family}`;
  }

  width(ctx, text, size) {
    this.font(ctx, size);
    return ctx.measureText(text).width;
  }

  get gap() { return 0.55 * this.em; } // between the data and the axes, so that marks on the edge are whole
  get tick() { return 0.35 * this.em; }
  get line() { return Math.max(1, this.em / 16); }
}

const upright = (style) => () => 1.6 * style.em;
const beside = (ctx, style) => (label) => style.width(ctx, label) + 0.9 * style.em;

// leftMargin is what a vertical axis takes: numbers, ticks, and its label.
export function leftMargin(ctx, style, y, label) {
  const numbers = Math.max(0, ...y.ticks(upright(style)).map((t) => style.width(ctx, t.label)));
  const name = !label ? 0 : isShort(label) ? style.width(ctx, label) + 0.6 * style.em : 1.35 * style.em;
  return style.gap + style.tick + 0.3 * style.em + numbers + name;
}

export const bottomMargin = (style, label) => style.gap + style.tick + 1.35 * style.em + (label ? 1.45 * style.em : 0);

const isShort = (label) => [...label].length <= 2; // a letter on its side is hard to read

// drawAxes draws both axes around a box {left, top, right, bottom}, whose scales are x and y. Labels may be empty; an axis
// that is null is not drawn.
export function drawAxes(ctx, style, box, x, y, xLabel, yLabel) {
  const { theme } = style;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = theme.ink;
  ctx.lineWidth = style.line;
  if (x) {
    const at = box.bottom + style.gap;
    const ticks = x.ticks(beside(ctx, style));
    stroke(ctx, [[box.left, at], [box.right, at]], ticks.map((t) => [[x.pixel(t.value), at], [x.pixel(t.value), at + (t.label ? 1 : 0.6) * style.tick]]));
    style.font(ctx);
    ctx.textAlign = 'center';
    ctx.textBaseline = 'top';
    for (const t of ticks) ctx.fillText(t.label, x.pixel(t.value), at + style.tick + 0.2 * style.em);
    if (xLabel) {
      style.font(ctx, 0.9375);
      ctx.fillText(shortened(ctx, xLabel, box.right - box.left + 4 * style.em), (box.left + box.right) / 2, at + style.tick + 1.45 * style.em);
    }
  }
  if (y) {
    const at = box.left - style.gap;
    const ticks = y.ticks(upright(style));
    stroke(ctx, [[at, box.top], [at, box.bottom]], ticks.map((t) => [[at, y.pixel(t.value)], [at - (t.label ? 1 : 0.6) * style.tick, y.pixel(t.value)]]));
    style.font(ctx);
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    let widest = 0;
    for (const t of ticks) {
      ctx.fillText(t.label, at - style.tick - 0.3 * style.em, y.pixel(t.value));
      widest = Math.max(widest, ctx.measureText(t.label).width);
    }
    if (yLabel) {
      style.font(ctx, 0.9375);
      const edge = at - style.tick - 0.3 * style.em - widest - 0.6 * style.em, middle = (box.top + box.bottom) / 2;
      if (isShort(yLabel)) {
        ctx.fillText(yLabel, edge, middle);
      } else {
        ctx.translate(edge, middle);
        ctx.rotate(-Math.PI / 2);
        ctx.textAlign = 'center';
        ctx.textBaseline = 'bottom';
        ctx.fillText(shortened(ctx, yLabel, box.bottom - box.top + 2 * style.em), 0, 0.3 * style.em);
      }
    }
  }
  ctx.restore();
}

function stroke(ctx, ...lines) {
  ctx.beginPath();
  for (const line of lines.flatMap((l) => (Array.isArray(l[0]?.[0]) ? l : [l]))) {
    if (line.length < 2) continue;
    ctx.moveTo(...line[0]);
    ctx.lineTo(...line[1]);
  }
  ctx.stroke();
}

// shortened leaves out the end of a text that has no room, but keeps a unit in parentheses.
export function shortened(ctx, text, room) {
  if (ctx.measureText(text).width <= room) return text;
  const unit = / \([^()]*\)$/.exec(text)?.[0] ?? '';
  const letters = [...text.slice(0, text.length - unit.length)];
  while (letters.length > 1) {
    letters.pop();
    const short = `${letters.join('')}…${unit}`;
    if (ctx.measureText(short).width <= room) return short;
  }
  return `${letters.join('')}…`;
}

// drawTitle writes a title above a box.
export function drawTitle(ctx, style, box, title) {
  style.font(ctx, 0.9375);
  ctx.fillStyle = style.theme.ink;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(shortened(ctx, title, box.right - box.left + 5 * style.em), (box.left + box.right) / 2, box.top - 1.1 * style.em);
}

// drawMark draws a sensor: a circle for the field that is shown, a diamond for something else. Shapes differ, so that no
// colour need be told from another. state is '', 'selected', or 'off'. Of many each is small.
export function drawMark(ctx, style, px, py, { other = false, faint = false, state = '' } = {}, among = 1) {
  const { theme } = style;
  const r = style.em * (among > 200 ? 0.2 : among > 60 ? 0.27 : 0.36) * (state === 'selected' ? 1.2 : 1);
  ctx.save();
  ctx.globalAlpha = faint ? 0.35 : 1;
  if (state === 'off') {
    ctx.lineWidth = 0.26 * style.em;
    for (const colour of [theme.mark, theme.rim]) {
      ctx.strokeStyle = colour;
      ctx.beginPath();
      ctx.moveTo(px - 0.8 * r, py - 0.8 * r);
      ctx.lineTo(px + 0.8 * r, py + 0.8 * r);
      ctx.moveTo(px + 0.8 * r, py - 0.8 * r);
      ctx.lineTo(px - 0.8 * r, py + 0.8 * r);
      ctx.stroke();
      ctx.lineWidth = 0.12 * style.em;
    }
    ctx.restore();
    return;
  }
  if (state === 'selected') {
    ctx.beginPath();
    ctx.arc(px, py, 1.75 * r, 0, 2 * Math.PI);
    ctx.lineWidth = 0.3 * style.em;
    ctx.strokeStyle = theme.mark;
    ctx.stroke();
    ctx.lineWidth = 0.14 * style.em;
    ctx.strokeStyle = '#c8321f';
    ctx.stroke();
  }
  ctx.beginPath();
  if (other) {
    const s = 1.3 * r;
    ctx.moveTo(px + s, py);
    ctx.lineTo(px, py + s);
    ctx.lineTo(px - s, py);
    ctx.lineTo(px, py - s);
    ctx.closePath();
  } else {
    ctx.arc(px, py, r, 0, 2 * Math.PI);
  }
  ctx.fillStyle = theme.mark;
  ctx.fill();
  ctx.lineWidth = 0.1 * style.em;
  ctx.strokeStyle = theme.rim;
  ctx.stroke();
  ctx.restore();
}

// drawPlaces draws numbered places {px, py} for further sensors, the first on top.
export function drawPlaces(ctx, style, places, marks) {
  const r = 0.62 * style.em, heads = pinned(places, marks, r);
  for (let i = places.length - 1; i >= 0; i--) drawPlace(ctx, style, places[i], heads[i], i + 1);
}

// pinned says where the heads of pins with these tips are: above them, or turned about the tip by as little as lets them
// cover neither one another nor, if there is such a way, a sensor. r is the radius of a head.
export function pinned(tips, marks, r) {
  const length = 1.5 * r, heads = [];
  for (const { px, py } of tips) {
    let best = null, least = Infinity;
    for (const turn of [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6]) {
      const angle = turn * Math.PI / 6, head = { px: px + length * Math.sin(angle), py: py - length * Math.cos(angle) };
      const covers = (all, reach) => all.reduce((sum, p) => sum + Math.max(0, reach - Math.hypot(p.px - head.px, p.py - head.py)), 0) / r;
      const cost = 10 * covers(heads, 2.1 * r) + covers(marks, 1.5 * r) + 0.02 * Math.abs(turn);
      if (cost < least) [best, least] = [head, cost];
    }
    heads.push(best);
  }
  return heads;
}

function drawPlace(ctx, style, tip, head, number) {
  const r = 0.62 * style.em, down = Math.atan2(tip.py - head.py, tip.px - head.px);
  ctx.save();
  ctx.beginPath();
  ctx.moveTo(tip.px, tip.py);
  ctx.arc(head.px, head.py, r, down + 0.32 * Math.PI, down - 0.32 * Math.PI);
  ctx.closePath();
  ctx.fillStyle = '#b3261e';
  ctx.fill();
  ctx.lineWidth = 0.1 * style.em;
  ctx.strokeStyle = '#ffffff';
  ctx.stroke();
  style.font(ctx, 0.8, 700);
  ctx.fillStyle = '#ffffff';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(String(number), head.px, head.py + 0.04 * r);
  ctx.restore();
}
