// Readings as they come in: where the estimate stands, the last readings against what was predicted for them, and the
// health of the sensors. What is kept is what one event carries, so that a page may stay open for ever.
import { Figure } from './draw/figure.js';
import { ResidualPicture } from './draw/residuals.js';
import { count, estimate, short } from './format.js';
import { make } from './panels.js';
import { View } from './view.js';

const listed = 8, drawn = 120, mostSensors = 200, mostPoints = 50;

// LiveView is what of a stream is looked at: the slice that an Estimate of the protocol carries.
export class LiveView extends View {
  constructor(estimated) {
    const { variables, fields } = estimated;
    super({ title: 'Live readings', variables, fields, equations: [], conditions: [], parameters: [], sensors: [{ name: 'the stream', measures: fields[0]?.name ?? '', field: 0, readings: [] }], files: {}, main: '' });
    this.last = estimated.last ?? [];
    this.of = estimated.of;
    this.field = this.of?.field ?? 0;
    if (this.of?.at?.length) this.at = this.of.at;
  }

  get isMap() { return this.of?.axes.length === 2; }
  get axes() { return this.of?.axes ?? []; }
  get sliders() { return []; }

  // marks are the places of sensors, each with its last reading; a cross is one that was left out. Sensors without names
  // are one to the stream, wherever they stand.
  marks() {
    const latest = new Map();
    this.last.forEach((r, i) => {
      if (r.x) latest.set(`${this.axes.map((k) => r.x[k])} ${r.sensor}`, { refs: [{ group: 0, reading: i }], group: 0, reading: { ...r, name: r.sensor }, x: r.x[this.axes[0]], y: r.x[this.axes[1]], value: r.value, sigma: 0, other: false, faint: false, state: r.rejected ? 'off' : '' });
    });
    return [...latest.values()].slice(0, mostSensors);
  }
}

// Live is the card of a stream.
export class Live {
  constructor() {
    this.card = document.querySelector('#live');
    this.host = this.card.querySelector('div');
  }

  build() {
    const canvas = make('div', {});
    const table = (heads, rows) => make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': heads.join(', ') }, make('table', {}, make('thead', {}, make('tr', {}, ...heads.map((h) => make('th', { scope: 'col' }, h)))), rows));
    this.says = make('p', { class: 'soft', id: 'live-count' });
    this.health = make('ul', { class: 'health', 'aria-label': 'Health of the sensors' });
    this.rows = make('tbody', {});
    this.points = make('tbody', {});
    this.spots = table(['point', 'mean ± sd'], this.points);
    this.host.append(this.says, this.health, this.spots, canvas, table(['sensor', 'reading', 'predicted', 'off by'], this.rows));
    this.figure = new Figure(canvas, new ResidualPicture(), 'The last readings, less what was predicted');
    this.card.hidden = false;
  }

  // show takes an Estimate and returns what has become wrong with the sensors since the last one, or ''.
  show(estimated) {
    if (!this.figure) this.build();
    const last = (estimated.last ?? []).slice(-drawn), sensors = (estimated.sensors ?? []).slice(0, mostSensors);
    const off = ({ value, predicted, sd }) => (sd > 0 ? (value - predicted) / sd : NaN);
    const { skipped, why, ended, others } = estimated;
    this.says.textContent = `${count(estimated.readings, 'reading')}${estimated.at ? `, the last at ${estimated.at}` : ''}.`
      + (skipped ? ` ${count(skipped, 'line')} skipped: ${why}.` : '') + (ended ? ` No more come: ${ended}.` : '');
    this.health.replaceChildren(...sensors.map((s) => make('li', {},
      make('span', {}, s.sensor), make('span', { class: s.state === 'sound' ? 'soft' : 'ill' }, s.state === 'sound' ? `sound, ${s.readings.toLocaleString('en')}` : s.state, s.rejected ? `, ${s.rejected} rejected` : ''))),
      others ? make('li', { class: 'soft' }, `and ${others} others`) : '');
    this.rows.replaceChildren(...last.slice(-listed).reverse().map((r) => make('tr', { class: r.rejected || Math.abs(off(r)) > 3 ? 'far' : '' },
      make('td', {}, r.sensor), make('td', {}, short(r.value)), make('td', {}, short(r.predicted)), make('td', {}, r.rejected ? 'left out' : Number.isFinite(off(r)) ? `${off(r).toFixed(1)} sd` : ''))));
    const points = (estimated.points ?? []).slice(0, mostPoints);
    this.spots.hidden = points.length === 0;
    this.points.replaceChildren(...points.map((p) => make('tr', {}, make('td', {}, `${p.field}(${p.x.map(short).join(', ')})`), make('td', {}, estimate(p.mean, p.sd)))));
    this.figure.set({ values: last.map(off), label: 'last readings' });
    const ill = sensors.filter((s) => s.state !== 'sound').map((s) => `${s.sensor}: ${s.state}`).join('; ');
    const was = this.ill;
    this.ill = ill;
    return ill !== was ? ill : '';
  }
}
