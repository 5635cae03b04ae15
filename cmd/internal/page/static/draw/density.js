// The posterior density of a parameter over that of its prior.
import { drawAxes, bottomMargin } from './axes.js';
import { line } from './curve.js';
import { Scale } from './scale.js';

// DensityPicture paints an Estimated of the protocol. While readings are dragged there are no densities, and a normal one
// stands in for them: data.mean and data.sd then differ from those that the densities are of.
export class DensityPicture {
  height(ctx, style) {
    return 7.5 * style.em;
  }

  paint(ctx, style, width, height, data) {
    const { theme } = style;
    const top = 0.5 * style.em, bottom = height - bottomMargin(style, '');
    const box = { left: 0.8 * style.em, top, right: width - 0.8 * style.em, bottom };
    const held = data.moved && data.sd > 0 ? bell(data) : null;
    const posterior = held ?? { x: data.x, p: data.posterior };
    const most = Math.max(...data.posterior, ...(held?.p ?? [])) || 1;
    const x = new Scale(Math.min(data.x[0], posterior.x[0]), Math.max(data.x.at(-1), posterior.x.at(-1)), box.left, box.right);
    const y = new Scale(0, 1.05 * most, bottom, top);
    const path = (xs, ps) => xs.map((v, i) => [x.pixel(v), y.pixel(Math.min(ps[i], 1.05 * most))]);
    if (data.prior) {
      const prior = path(data.x, data.prior);
      area(ctx, [[prior[0][0], bottom], ...prior, [prior.at(-1)[0], bottom]], theme.priorFill);
      line(ctx, prior, theme.prior, 1.2 * style.line, [2 * style.line, 2.5 * style.line]);
    }
    if (held) line(ctx, path(data.x, data.posterior), theme.soft, style.line, [4 * style.line, 3 * style.line]);
    const [lower, upper] = held ? [data.mean - 1.96 * data.sd, data.mean + 1.96 * data.sd] : [data.lower95, data.upper95];
    const inside = path(posterior.x, posterior.p).filter((_, i) => posterior.x[i] >= lower && posterior.x[i] <= upper);
    if (inside.length > 1) area(ctx, [[inside[0][0], bottom], ...inside, [inside.at(-1)[0], bottom]], theme.band);
    line(ctx, path(posterior.x, posterior.p), theme.mean, 0.13 * style.em);
    if (data.mean > posterior.x[0] && data.mean < posterior.x.at(-1)) {
      line(ctx, [[x.pixel(data.mean), bottom], [x.pixel(data.mean), y.pixel(at(posterior.x, posterior.p, data.mean))]], theme.mean, style.line, [4 * style.line, 3 * style.line]);
    }
    drawAxes(ctx, style, box, x, null, '', '');
    return { box, x, y, marks: [] };
  }
}

function area(ctx, points, colour) {
  ctx.beginPath();
  for (const [px, py] of points) ctx.lineTo(px, py);
  ctx.closePath();
  ctx.fillStyle = colour;
  ctx.fill();
}

// bell is the normal density of a mean and sd.
function bell({ mean, sd }) {
  const steps = Array.from({ length: 121 }, (_, i) => (i - 60) / 15);
  return { x: steps.map((z) => mean + sd * z), p: steps.map((z) => Math.exp(-0.5 * z * z) / (sd * Math.sqrt(2 * Math.PI))) };
}

function at(xs, ys, v) {
  const i = Math.min(Math.max(xs.findIndex((x) => x >= v), 1), xs.length - 1);
  const t = (v - xs[i - 1]) / (xs[i] - xs[i - 1]);
  return ys[i - 1] + t * (ys[i] - ys[i - 1]);
}
