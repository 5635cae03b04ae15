// The pictures of what is looked at, and the sensors on them.
import { maps } from './draw/colour.js';
import { CurvePicture } from './draw/curve.js';
import { Figure } from './draw/figure.js';
import { range } from './draw/grid.js';
import { MapPicture } from './draw/map.js';
import { widened } from './draw/scale.js';
import { Handles, hold } from './drag.js';
import { short, within } from './format.js';
import { make } from './panels.js';

// Stage has a first picture, which the sensors are held by, and a second one: mean and sd of a map, or a curve and the same
// less its mean. hooks are those of drag.js, with marks given as view.js has them and places in the units of the problem.
export class Stage {
  constructor(flow, hooks) {
    Object.assign(this, { flow, hooks, host: document.querySelector('#pictures'), figures: [], kind: '' });
  }

  // show draws what the flow has.
  show() {
    const { flow } = this, { view } = flow;
    const slice = flow.slice ?? (view && flow.phase !== 'live' ? blank(view) : null);
    this.host.classList.toggle('stale', Boolean(flow.slice) && (Boolean(flow.stale) || flow.phase === 'fault'));
    document.querySelector('#empty').hidden = Boolean(flow.problem) || flow.phase === 'starting';
    if (!view || !slice || slice.field !== view.field || String(slice.axes) !== String(view.axes)) {
      if (!view || !slice) this.clear();
      return;
    }
    const kind = view.isMap ? 'map' : 'curve';
    if (kind !== this.kind) this.build(kind);
    const flat = kind === 'curve' || view.aspect < 0.45;
    this.host.classList.toggle('flat', flat);
    this.host.classList.toggle('single', !slice.sd);
    const marks = this.marks();
    if (kind === 'map') this.showMaps(slice, marks);
    else this.showCurves(slice, marks);
    this.key();
  }

  // key says what the signs mean that are shown.
  key() {
    const host = document.querySelector('#key'), marks = this.host.children.length ? this.marks() : [];
    const shown = (f) => marks.some(f);
    const items = [];
    if (this.kind === 'curve' && this.flow.slice) items.push(['mean', 'mean'], ['band', '± 2 sd']);
    if (this.kind === 'curve' && this.flow.held) items.push(['before', 'before']);
    if (shown((m) => !m.other && !m.faint && m.state !== 'off')) items.push(this.kind === 'curve' && shown((m) => m.sigma > 0) ? ['bar', 'reading ± noise sd'] : ['sensor', this.kind === 'curve' ? 'reading' : 'sensor']);
    if (shown((m) => m.other && m.state !== 'off')) items.push(['other', 'sensor of another quantity']);
    if (shown((m) => m.faint && m.state !== 'off')) items.push(['faint', 'elsewhere on the slider']);
    if (shown((m) => m.state === 'off')) items.push(['off', this.flow.phase === 'live' ? 'left out' : 'switched off']);
    const text = String(items);
    if (host.dataset.of === text) return;
    host.dataset.of = text;
    host.replaceChildren(...items.map(([sign, says]) => make('span', {}, drawn(sign), says)));
  }

  clear() {
    for (const { figure } of this.figures) figure.remove();
    this.figures = [];
    this.kind = '';
    this.host.replaceChildren();
  }

  build(kind) {
    this.clear();
    this.kind = kind;
    for (const name of kind === 'map' ? ['mean', 'sd'] : ['curve', 'residual']) {
      const canvas = make('div', { class: 'canvas' });
      const box = make('div', { class: 'picture', 'data-picture': name }, canvas);
      this.host.append(box);
      const figure = new Figure(canvas, kind === 'map' ? new MapPicture() : new CurvePicture(), name, () => this.room(name));
      const part = { name, figure };
      this.figures.push(part);
      if (name === 'residual') continue;
      hold(figure.canvas, this.pointer(figure));
      if (this.figures.length === 1) {
        const handles = new Handles(canvas, {
          chosen: (mark) => this.hooks.chosen(mark),
          asked: (mark) => this.hooks.asked(mark),
          switched: (mark) => this.hooks.switched(mark),
          nudged: (mark, dx, dy) => this.nudge(figure, mark, dx, dy),
        });
        this.painted = (drawn) => {
          handles.set(drawn.marks, (mark) => this.says(mark));
          this.hooks.painted();
        };
        figure.afterPaint = this.painted;
      }
    }
  }

  // room is how tall a picture may be.
  room(name) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const narrow = innerWidth <= 640;
    const all = Math.max(innerHeight - (narrow ? 9 : 16) * rem, 17 * rem);
    if (this.kind === 'map') return narrow ? 0.85 * innerHeight : this.host.classList.contains('flat') ? all / 2 : all;
    return name === 'curve' ? 0.66 * all : 0.36 * all;
  }

  // marks are the sensors, the one that is being dragged where it is.
  marks() {
    const { view, ghosts, selected, dragging } = this.flow;
    return view.marks(ghosts, this.flow.answer?.noise).map((mark) => {
      const chosen = selected && mark.refs.some((r) => sameRef(r, selected.refs[0]));
      if (dragging && mark.refs.some((r) => sameRef(r, dragging.refs[0]))) return { ...mark, ...dragging.at, faint: false, state: dragging.off ? 'off' : 'selected' };
      return chosen && mark.state === '' ? { ...mark, state: 'selected' } : mark;
    });
  }

  showMaps(slice, marks) {
    const { view, placements, problem } = this.flow;
    const [x, y] = slice.axes.map((i) => problem.variables[i]);
    const axis = (v) => ({ label: v.label || v.name, lo: v.range?.[0] ?? 0, hi: v.range?.[1] ?? 1, log: v.log });
    const places = placements?.places.map((p) => ({ x: p.x[slice.axes[0]], y: p.x[slice.axes[1]] }));
    const common = { x: axis(x), y: axis(y), columns: slice.size[0], rows: slice.size[1], marks, places, aspect: view.aspect, outline: slice.outline, blank: slice.blank };
    const [lo, hi] = slice.low < slice.high ? [slice.low, slice.high] : widened(slice.low, slice.high);
    const [sdLo, sdHi] = slice.sdLow < slice.sdHigh ? [slice.sdLow, slice.sdHigh] : widened(slice.sdLow, slice.sdHigh);
    const gains = placements?.gain && placements.size && placements.size[0] * placements.size[1] === placements.gain.length;
    const mostGain = gains ? Math.max(range(placements.gain)[1], 1e-12) : 0;
    common.bars = [[lo, hi], gains ? [0, mostGain] : [sdLo, sdHi]];
    const [mean, second] = this.figures;
    mean.title = slice.blank ? `${view.name}: sensors` : `${view.name}: mean`;
    mean.figure.set({ ...common, title: mean.title, values: slice.mean, lo, hi, colours: maps.mean });
    mean.figure.label = `Map of the mean of ${view.name} over ${x.label || x.name} and ${y.label || y.name}, from ${short(lo)} to ${short(hi)}, with ${marks.length} sensors.`;
    const box = second.figure.host.parentElement;
    box.hidden = !slice.sd;
    if (!slice.sd) return;
    if (gains) {
      second.title = 'mean sd saved by a sensor here';
      second.figure.set({ ...common, columns: placements.size[0], rows: placements.size[1], title: second.title, values: placements.gain, lo: 0, hi: mostGain, colours: maps.gain });
      second.figure.label = `Map of the share by which a further sensor lowers the mean variance, at most ${short(mostGain)}, with ${places.length} numbered places.`;
    } else {
      second.title = `${view.name}: sd`;
      second.figure.set({ ...common, title: second.title, values: slice.sd, lo: sdLo, hi: sdHi, colours: maps.sd });
      second.figure.label = `Map of the standard deviation of ${view.name}, up to ${short(sdHi)}.`;
    }
  }

  showCurves(slice, marks) {
    const { view, placements, problem, dragging } = this.flow;
    const v = problem.variables[slice.axes[0]];
    const x = { label: v.label || v.name, lo: v.range?.[0] ?? 0, hi: v.range?.[1] ?? 1, log: v.log };
    const places = placements?.places.map((p) => ({ x: p.x[slice.axes[0]] }));
    const whole = view.sliders.length && !slice.blank ? { lo: slice.low - 2 * (slice.sdHigh || 0), hi: slice.high + 2 * (slice.sdHigh || 0) } : {};
    const [curve, rest] = this.figures;
    // The data of one begin below those of the other.
    const left = Math.max(curve.figure.drawn?.needed ?? 0, rest.figure.drawn?.needed ?? 0);
    rest.figure.afterPaint = () => {
      const now = Math.max(curve.figure.drawn?.needed ?? 0, rest.figure.drawn.needed);
      if (Math.abs(now - (rest.figure.data.left ?? 0)) > 1) this.showCurves(slice, this.marks());
    };
    curve.title = view.name;
    curve.figure.set({
      x, yLabel: view.name, mean: slice.mean, sd: slice.sd, marks, before: this.flow.held && slice.before?.length === slice.mean.length ? slice.before : null, ...whole, places, title: '', aspect: 0.55, left,
      gain: placements?.gain?.length === slice.mean.length ? placements.gain : null, range: dragging ? this.kept : undefined,
    });
    curve.figure.label = `Curve of the mean of ${view.name} along ${x.label} with its band of two standard deviations, and ${marks.length} sensors.`;
    const at = (mark) => {
      const share = Math.min(Math.max(v.log ? Math.log(mark.x / x.lo) / Math.log(x.hi / x.lo) : (mark.x - x.lo) / (x.hi - x.lo), 0), 1) * (slice.mean.length - 1);
      const i = Math.min(Math.floor(share), slice.mean.length - 2);
      return slice.mean[i] + (share - i) * (slice.mean[i + 1] - slice.mean[i]);
    };
    rest.title = `${view.name} less its mean`;
    rest.figure.host.parentElement.hidden = !slice.sd;
    if (!slice.sd) return;
    const shown = marks.filter((m) => !m.other && !m.faint).map((m) => ({ ...m, value: m.value - at(m) })).filter((m) => Number.isFinite(m.value));
    rest.figure.set({ x, yLabel: [...view.name].length < 12 ? `${view.name} − mean` : 'less mean', mean: slice.mean.map((m) => (Number.isFinite(m) ? 0 : NaN)), sd: slice.sd, marks: shown, aspect: 0.28, left, range: dragging ? this.keptRest : undefined });
    rest.figure.label = `The same less the mean: the band of two standard deviations, and what is left of the readings.`;
    if (!dragging) {
      this.kept = null;
      this.keptRest = null;
    }
  }

  // says is what a handle is called.
  says(mark) {
    const { problem, view } = this.flow;
    const group = problem.sensors[mark.group];
    const name = mark.reading.name || (mark.refs[0].ghost === undefined ? `Sensor ${mark.refs[0].reading + 1} of ${group?.name}` : 'Sensor');
    const where = view.over.map((i) => `${problem.variables[i].name} = ${within(mark.reading.x[i], ...(problem.variables[i].range ?? [0, 1]))}`).join(', ');
    if (mark.state === 'off') return `${name}, switched off, at ${where}`;
    return `${name} at ${where} reads ${short(mark.value)}${mark.sigma ? ` ± ${short(mark.sigma)}` : ''}${mark.other ? ` of ${group?.measures}` : ''}`;
  }

  pointer(figure) {
    const { hooks } = this;
    return {
      marks: () => (hooks.grasping() ? figure.drawn?.marks ?? [] : []),
      pressed: (mark) => {
        this.hold();
        hooks.chosen(mark);
      },
      moved: (mark, at, event) => hooks.moved(mark, this.place(figure, mark, at, event)),
      released: (mark, moved) => hooks.released(mark, moved),
      canceled: (mark) => hooks.canceled(mark),
      clicked: (at, event) => {
        const { box, x, y } = figure.drawn ?? {};
        if (!box || at.px < box.left - 8 || at.px > box.right + 8 || at.py < box.top - 8 || at.py > box.bottom + 8) return;
        hooks.clicked({ x: x.clamp(x.value(at.px)), y: y.clamp(y.value(at.py)) }, event);
      },
    };
  }

  // hold keeps the axes as they are while something is dragged.
  hold() {
    this.kept = this.figures[0].figure.drawn?.range;
    this.keptRest = this.figures[1]?.figure.drawn?.range;
  }

  // place is where a mark has been dragged to. On curves, Shift holds its place or its value, whichever moved less.
  place(figure, mark, at, event) {
    const { x, y } = figure.drawn;
    const to = { x: x.clamp(x.value(at.px)) };
    if (this.kind === 'map') {
      to.y = y.clamp(y.value(at.py));
    } else {
      to.value = mark.other ? mark.value : y.clamp(y.value(at.py));
      if (event?.shiftKey && Math.abs(at.px - mark.px) > Math.abs(at.py - mark.py)) to.value = mark.value;
      else if (event?.shiftKey) to.x = mark.x;
    }
    return to;
  }

  // nudge moves a mark by pixels, as the keyboard does.
  nudge(figure, mark, dx, dy) {
    if (mark.state === 'off') return;
    const now = figure.drawn.marks.find((m) => sameRef(m.refs[0], mark.refs[0])) ?? mark;
    if (!this.flow.dragging) this.hold();
    const step = 2;
    this.hooks.nudged(now, this.place(figure, now, { px: now.px + step * dx, py: now.py + step * dy }));
  }
}

// blank is a slice of nothing: the sensors are there before the answer is.
function blank(view) {
  const size = view.isMap ? [2, 2] : [2];
  return { blank: true, field: view.field, axes: view.axes, mean: new Float32Array(view.isMap ? 4 : 2).fill(NaN), sd: null, size, low: 0, high: 1 };
}

// drawn is a sign of the key.
function drawn(sign) {
  const shape = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const svg = shape('svg', { viewBox: '0 0 22 14', 'aria-hidden': 'true' });
  const circle = { class: sign === 'faint' ? 'mark faint' : 'mark', cx: 11, cy: 7, r: 4.6 };
  if (sign === 'mean') svg.append(shape('path', { class: 'mean', d: 'M0 7h22' }));
  else if (sign === 'band') svg.append(shape('path', { class: 'band', d: 'M0 1h22v12H0z' }));
  else if (sign === 'before') svg.append(shape('path', { class: 'before', d: 'M0 7h22' }));
  else if (sign === 'other') svg.append(shape('path', { class: 'mark', d: 'M11 1l6 6-6 6-6-6z' }));
  else if (sign === 'off') svg.append(shape('path', { class: 'cross', d: 'M7 3l8 8m0-8-8 8' }));
  else if (sign === 'bar') svg.append(shape('path', { class: 'error', d: 'M11-1v16' }), shape('circle', circle));
  else svg.append(shape('circle', circle));
  return svg;
}

// sameRef tells whether two references are to one reading, or to one that is switched off.
export const sameRef = (a, b) => Boolean(a && b) && a.ghost === b.ghost && a.group === b.group && a.reading === b.reading;
