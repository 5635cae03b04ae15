// Residuals: how many standard deviations each reading lies from what was predicted for it.
import { Style, drawAxes, drawMark, leftMargin, bottomMargin } from './axes.js';
import { line } from './curve.js';
import { Scale } from './scale.js';

// ResidualPicture paints {values, selected}: standardised residuals, NaN for none, and the index of one to point out.
// The band holds 95 % of a normal distribution; what lies beyond three is drawn as a diamond.
export class ResidualPicture {
  height(ctx, style) {
    return 9.5 * style.em;
  }

  paint(ctx, style, width, height, { values, selected = -1, label = 'reading' }) {
    const { theme } = style;
    const most = Math.min(50, values.reduce((m, v) => (Math.abs(v) > m ? Math.abs(v) : m), 2.2) * 1.1);
    const top = 0.5 * style.em, bottom = height - bottomMargin(style, label);
    const y = new Scale(-most, most, bottom, top);
    const box = { left: leftMargin(ctx, style, y, ''), top, right: width - 0.6 * style.em, bottom };
    const x = new Scale(0.5, Math.max(values.length, 1) + 0.5, box.left, box.right);
    ctx.fillStyle = theme.band;
    ctx.fillRect(box.left, y.pixel(2), box.right - box.left, y.pixel(-2) - y.pixel(2));
    line(ctx, [[box.left, y.pixel(0)], [box.right, y.pixel(0)]], theme.mean, 1.4 * style.line);
    const small = new Style(theme, (values.length > 60 ? 0.62 : 0.85) * style.em);
    const marks = values.map((v, i) => ({ index: i, px: x.pixel(i + 1), py: y.pixel(Math.max(-most, Math.min(most, v))) }));
    marks.forEach((m, i) => {
      if (Number.isFinite(values[i])) drawMark(ctx, small, m.px, m.py, { other: Math.abs(values[i]) > 3, state: i === selected ? 'selected' : '' });
    });
    drawAxes(ctx, style, box, wholeNumbers(x), y, label, '');
    return { box, x, y, marks };
  }
}

// wholeNumbers is a scale without ticks between whole numbers.
function wholeNumbers(scale) {
  const whole = Object.create(scale);
  whole.ticks = (size) => scale.ticks(size).filter((t) => Number.isInteger(t.value)).map((t) => ({ value: t.value, label: String(t.value) }));
  return whole;
}
