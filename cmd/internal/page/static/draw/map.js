// A map: a function of two variables as colours, with its colour bar and the sensors.
import { drawAxes, drawMark, drawPlaces, drawTitle, leftMargin, bottomMargin } from './axes.js';
import { entryAt } from './colour.js';
import { contours, filled, softened, upsampled } from './grid.js';
import { Scale } from './scale.js';

// MapPicture paints
//
//   {title, x, y, values, columns, rows, lo, hi, colours, marks, places}
//
// x and y are {label, lo, hi, log}; values is a grid, column by column; marks are {x, y, other, faint, state}. Where places
// {x, y} are given they are numbered. bars are the ranges of all maps that stand side by side, and outline is the domain on
// a finer grid, {columns, rows, inside}. Where blank is set there are no values yet.
export class MapPicture {
  constructor() {
    this.raster = document.createElement('canvas');
    this.edge = null; // of the domain, and what it was made of
  }

  // aspect is the height of the data over its width: true to scale where trueToScale, or else as there is room.
  height(ctx, style, width, data, most) {
    const m = this.margins(ctx, style, data, most);
    const across = width - m.left - m.right;
    return Math.min(most, Math.max(across * data.aspect, 4 * style.em) + m.top + m.bottom);
  }

  margins(ctx, style, data, height) {
    const y = new Scale(data.y.lo, data.y.hi, height - 4 * style.em, 0, data.y.log);
    // Room for the numbers of every bar beside it, so that maps beside each other are alike.
    const bars = (data.bars ?? [[data.lo, data.hi]]).map(([lo, hi]) => new Scale(lo, hi, height - 4 * style.em, 0));
    const numbers = Math.max(0, ...bars.flatMap((bar) => bar.ticks(() => 1.6 * style.em)).map((t) => style.width(ctx, t.label)));
    return {
      left: leftMargin(ctx, style, y, data.y.label) + 0.2 * style.em,
      right: style.gap + 1.9 * style.em + numbers,
      top: 2.1 * style.em,
      bottom: bottomMargin(style, data.x.label),
    };
  }

  paint(ctx, style, width, height, data, pixelRatio) {
    const m = this.margins(ctx, style, data, height);
    let across = Math.max(10, width - m.left - m.right), up = Math.max(10, height - m.top - m.bottom);
    if (across * data.aspect > up) across = up / data.aspect;
    else up = across * data.aspect;
    const left = m.left + (width - m.left - m.right - across) / 2, top = m.top + (height - m.top - m.bottom - up) / 2;
    const box = { left, top, right: left + across, bottom: top + up };
    const x = new Scale(data.x.lo, data.x.hi, box.left, box.right, data.x.log);
    const y = new Scale(data.y.lo, data.y.hi, box.bottom, box.top, data.y.log);

    this.colour(data, across * pixelRatio, up * pixelRatio);
    const shape = this.shape(data, box);
    if (style.theme.rimmed) { // the darkest colours are close to that of the page
      ctx.strokeStyle = style.theme.faint;
      ctx.lineWidth = 2 * style.line;
      ctx.stroke(shape);
    }
    ctx.save();
    ctx.clip(shape, 'evenodd');
    ctx.imageSmoothingEnabled = true;
    ctx.drawImage(this.raster, box.left, box.top, across, up);
    ctx.restore();
    drawTitle(ctx, style, box, data.title);
    drawAxes(ctx, style, box, x, y, data.x.label, data.y.label);
    if (!data.blank) this.bar(ctx, style, box, data);
    const marks = data.marks.map((mark) => ({ ...mark, px: x.pixel(mark.x), py: y.pixel(mark.y) }));
    for (const mark of marks) drawMark(ctx, style, mark.px, mark.py, mark, marks.length);
    if (data.places) drawPlaces(ctx, style, data.places.map((p) => ({ px: x.pixel(p.x), py: y.pixel(p.y) })), marks);
    return { box, x, y, marks };
  }

  // colour paints the values into the raster, which has as many pixels as are worth it.
  colour(data, width, height) {
    const { values, columns, rows, lo, hi, colours } = data;
    const shrink = Math.min(1, 320 / Math.max(width, height));
    const w = Math.max(2, Math.round(width * shrink)), h = Math.max(2, Math.round(height * shrink));
    const fine = upsampled(filled(values, columns, rows), columns, rows, w, h);
    if (this.picture?.width !== w || this.picture.height !== h) {
      this.picture = new ImageData(w, h);
      this.raster.width = w;
      this.raster.height = h;
    }
    const bytes = this.picture.data, scale = 1 / (hi - lo || 1);
    for (let k = 0; k < fine.length; k++) {
      const entry = entryAt((fine[k] - lo) * scale);
      bytes[4 * k] = colours[entry];
      bytes[4 * k + 1] = colours[entry + 1];
      bytes[4 * k + 2] = colours[entry + 2];
      bytes[4 * k + 3] = fine[k] === fine[k] ? 255 : 0;
    }
    this.raster.getContext('2d').putImageData(this.picture, 0, 0);
  }

  // shape is the domain as a path in a box.
  shape({ values, columns, rows, outline, blank }, box) {
    const path = new Path2D();
    if (blank) return path;
    const inside = outline?.inside ?? Float32Array.from(values, (v) => (v === v ? 1 : 0));
    if (inside.every((v) => v === 1)) {
      path.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
      return path;
    }
    if (!this.edge || (this.edge.inside !== inside && !(this.edge.inside.length === inside.length && this.edge.inside.every((v, k) => v === inside[k])))) {
      const [nx, ny] = outline ? [outline.columns, outline.rows] : [columns, rows];
      let soft = inside;
      for (let times = outline ? 4 : 1; times > 0; times--) soft = softened(soft, nx, ny); // without the steps of the grid
      this.edge = { inside, lines: contours(soft, nx, ny) };
    }
    for (const line of this.edge.lines) {
      for (let k = 0; k < line.length; k += 2) path.lineTo(box.left + line[k] * (box.right - box.left), box.bottom - line[k + 1] * (box.bottom - box.top));
      path.closePath();
    }
    return path;
  }

  bar(ctx, style, box, { lo, hi, colours }) {
    const left = box.right + style.gap + 0.3 * style.em, width = 0.8 * style.em;
    const scale = new Scale(lo, hi, box.bottom, box.top);
    const steps = 256;
    for (let i = 0; i < steps; i++) {
      const entry = entryAt(i / (steps - 1));
      ctx.fillStyle = `rgb(${colours[entry]}, ${colours[entry + 1]}, ${colours[entry + 2]})`;
      const from = box.bottom - ((i + 1) / steps) * (box.bottom - box.top);
      ctx.fillRect(left, from, width, Math.min((box.bottom - box.top) / steps + 1, box.bottom - from));
    }
    ctx.strokeStyle = ctx.fillStyle = style.theme.ink;
    ctx.lineWidth = style.line;
    ctx.strokeRect(left, box.top, width, box.bottom - box.top);
    style.font(ctx);
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    ctx.beginPath();
    for (const t of scale.ticks(() => 1.6 * style.em)) {
      const at = scale.pixel(t.value);
      ctx.moveTo(left + width, at);
      ctx.lineTo(left + width + 0.25 * style.em, at);
      ctx.fillText(t.label, left + width + 0.45 * style.em, at);
    }
    ctx.stroke();
  }
}
