// What of a problem is looked at: which field, along which variables, and where the other variables stand.
import { Scale } from './draw/scale.js';

// View is made for a problem of the protocol. It keeps what it can of a former view.
export class View {
  constructor(problem, former) {
    this.problem = problem;
    this.field = 0;
    this.mode = 'map';
    this.along = 0; // for curves: which of over
    this.at = problem.variables.map((v) => scaleOf(v).at(0.5));
    if (former && sameShape(former.problem, problem)) {
      this.field = Math.min(former.field, problem.fields.length - 1);
      this.mode = former.mode;
      this.along = former.along;
      this.at = former.at.map((v, i) => scaleOf(problem.variables[i]).clamp(v));
    }
  }

  // over are the variables that the field depends on.
  get over() {
    const { over } = this.problem.fields[this.field] ?? {};
    return over?.length ? over : this.problem.variables.map((_, i) => i);
  }

  get isMap() { return this.over.length > 1 && this.mode === 'map'; }

  // axes are the variables along which the picture extends: one for curves, two for maps.
  get axes() { return this.isMap ? this.over.slice(0, 2) : [this.over[Math.min(this.along, this.over.length - 1)]]; }

  // sliders are the other variables.
  get sliders() { return this.over.filter((i) => !this.axes.includes(i)); }

  // aspect is the height of a map over its width: true to scale where both variables are in space.
  get aspect() {
    const [x, y] = this.axes.map((i) => this.problem.variables[i]);
    if (isTime(x) || isTime(y) || x.log || y.log || x.unit !== y.unit) return 0.9;
    return Math.min(Math.max((y.range[1] - y.range[0]) / (x.range[1] - x.range[0]), 0.15), 2);
  }

  // sliceOf asks for what is looked at, with so many points along each side of a map.
  sliceOf(points) {
    return { field: this.field, axes: this.axes, size: this.isMap ? [points, points] : [241], at: this.at };
  }

  // name is that of the field, with its unit.
  get name() {
    const field = this.problem.fields[this.field];
    return field.label || field.name;
  }

  // marks are the sensors as the picture shows them: {refs, x, y, value, sigma, other, faint, state}. A sensor that reads
  // at many places of the sliders is one mark, with the reading nearest to where they stand. ghosts were switched off, and
  // noise is what was learned of it.
  marks(ghosts = [], noise = []) {
    const { sensors, variables } = this.problem;
    const axes = this.axes, sliders = this.sliders;
    const stations = new Map();
    const add = (reading, group, ref, state) => {
      const other = sensors[group]?.field !== this.field;
      const away = sliders.reduce((most, i) => Math.max(most, Math.abs(scaleOf(variables[i]).share(reading.x[i]) - scaleOf(variables[i]).share(this.at[i])) || 0), 0);
      const mark = { refs: [ref], group, reading, x: reading.x[axes[0]], y: reading.x[axes[1]], value: reading.value, other, away, faint: away > 0.03, state };
      mark.sigma = reading.sigma || sensors[group]?.sigma || noise.find((n) => n.group === group)?.sigma || 0;
      const key = !this.isMap ? `${group} ${stations.size}` : sliders.length ? `${state} ${group} ${mark.x} ${mark.y}` : `${stations.size}`;
      const former = stations.get(key);
      if (!former) {
        stations.set(key, mark);
      } else {
        const refs = former.refs.concat(mark.refs);
        stations.set(key, { ...(mark.away < former.away ? mark : former), refs });
      }
    };
    ghosts.forEach((g, i) => add(g, g.group, { ghost: i }, 'off'));
    sensors.forEach((group, g) => group.readings.forEach((reading, r) => add(reading, g, { group: g, reading: r }, '')));
    return [...stations.values()];
  }
}

const sameShape = (a, b) => ['variables', 'fields'].every((k) => a[k].length === b[k].length && a[k].every((v, i) => v.name === b[k][i].name));

// isTime tells whether a variable is the time.
export const isTime = (v) => v.name === 't' || v.name === 'time' || Boolean(v.start);

// scaleOf is the scale of a variable, from 0 to 1.
export const scaleOf = (v) => new Scale(v.range?.[0] ?? 0, v.range?.[1] ?? 1, 0, 1, v.log);

const seconds = { s: 1, sec: 1, second: 1, seconds: 1, min: 60, minute: 60, minutes: 60, h: 3600, hour: 3600, hours: 3600, d: 86400, day: 86400, days: 86400, week: 604800, weeks: 604800, y: 31557600, year: 31557600, years: 31557600 };

// dateOf writes a value of a variable that begins at a date, as the date; '' for others.
export function dateOf(v, value) {
  const start = Date.parse(v.start ?? ''), unit = seconds[v.unit ?? ''];
  if (!Number.isFinite(start) || !unit) return '';
  return new Date(start + 1000 * unit * value).toISOString().slice(0, 16).replace('T', ' ');
}
