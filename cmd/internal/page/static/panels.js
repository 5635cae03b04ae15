// What stands beside the picture: verdict, parameters, residuals, readings, and how the problem was understood.
import { Figure } from './draw/figure.js';
import { DensityPicture } from './draw/density.js';
import { ResidualPicture } from './draw/residuals.js';
import { count, estimate, pair, short, significant, within } from './format.js';

// make creates an element: make('p', {class: 'soft'}, 'text', child, ...). Attributes that are functions are listeners.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined && c !== ''));
  return element;
}

const body = (id) => document.querySelector(`#${id} > div`);

// showVerdict says what the verdict is and what to do about it.
export function showVerdict(flow) {
  const card = document.querySelector('#verdict'), { judgement, phase, stale } = flow;
  const current = judgement && !stale && !flow.held && ['solved', 'open'].includes(phase);
  card.className = `card ${current ? (judgement.sound ? 'sound' : 'unsound') : ''}`;
  let parts;
  if (phase === 'fault') {
    parts = [make('p', {}, 'The text cannot be read yet.'), make('p', { class: 'soft' }, flow.fault.message)];
  } else if (phase === 'failed') {
    parts = [make('p', {}, make('strong', {}, 'No answer. ')), make('p', {}, flow.failure?.message ?? '')];
    card.classList.add('unsound');
  } else if (current && judgement.sound) {
    parts = [make('p', {}, make('strong', {}, 'Sound: '), 'equations, readings and layers agree with each other.')];
  } else if (current) {
    parts = [make('p', {}, make('strong', {}, 'Not to be trusted as it stands.')), make('ul', {}, ...(judgement.failures ?? []).map((f) => make('li', {}, f)))];
  } else if (phase === 'judging') {
    parts = [make('p', {}, 'Looking for reasons not to believe the answer …')];
  } else if (phase === 'empty') {
    parts = [make('p', { class: 'soft' }, 'Nothing is open.')];
  } else if (flow.held || flow.dragging) {
    parts = [make('p', {}, 'Pending: it follows when everything has been inferred again.')];
  } else {
    parts = [make('p', {}, phase === 'solving' ? 'It follows when the answer is there.' : 'Not asked for yet.')];
  }
  if (current) for (const note of judgement.notes ?? []) parts.push(make('p', { class: 'soft' }, note));
  if (current) for (const warning of flow.answer?.warnings ?? []) parts.push(make('p', { class: 'soft' }, warning));
  replace(body('verdict'), parts);
}

// replace changes the children only where their text does, so that a screen reader hears each once.
function replace(host, parts) {
  const text = parts.map((p) => p.textContent).join('\n');
  if (host.dataset.text === text) return;
  host.dataset.text = text;
  host.replaceChildren(...parts);
}

// Parameters shows each parameter's posterior over its prior.
export class Parameters {
  constructor() {
    this.figures = [];
    this.names = '';
  }

  show(flow) {
    const card = document.querySelector('#parameters');
    const estimated = flow.live?.parameters?.length ? flow.live.parameters : flow.answer?.parameters ?? [];
    card.hidden = estimated.length === 0;
    if (card.hidden) return;
    const names = estimated.map((p) => p.name).join('\n');
    if (names !== this.names) this.build(estimated, flow.problem);
    this.names = names;
    estimated.forEach((p, i) => {
      const moved = flow.held?.parameters.find((h) => h.name === p.name);
      const now = moved ?? p;
      const { figure, number, interval } = this.figures[i];
      number.textContent = estimate(now.mean, now.sd);
      const [lower, upper] = pair(now.lower95, now.upper95, now.sd > 0 ? now.sd : Math.abs(now.mean) || 1);
      interval.textContent = `95 % interval ${lower} to ${upper}`;
      figure.host.hidden = !(p.x?.length > 1);
      if (p.x?.length > 1) figure.set({ ...p, mean: now.mean, sd: now.sd, moved: Boolean(moved) });
      figure.label = `Posterior density of ${p.name}: ${number.textContent}, ${interval.textContent}${p.prior ? ', over its prior' : ''}.`;
    });
  }

  build(estimated, problem) {
    for (const { figure } of this.figures) figure.remove();
    const host = body('parameters');
    host.replaceChildren();
    this.figures = estimated.map((p) => {
      const stated = problem?.parameters.find((q) => q.name === p.name);
      const number = make('span', { class: 'number' }), interval = make('span', { class: 'soft' }), canvas = make('div', {});
      host.append(make('div', { class: 'parameter' },
        make('div', { class: 'line' }, make('span', {}, stated?.label || p.name), number), canvas,
        make('div', { class: 'line' }, interval, make('span', { class: 'soft' }, stated?.prior ? `prior: ${stated.prior}` : ''))));
      return { figure: new Figure(canvas, new DensityPicture(), p.name), number, interval };
    });
    host.append(make('p', { class: 'legend' }, make('span', { class: 'posterior' }, 'posterior'), estimated.some((p) => p.prior) ? make('span', { class: 'prior' }, 'prior') : ''));
  }
}

// Residuals shows how far each reading lies from what the others predict for it.
export class Residuals {
  show(flow) {
    const card = document.querySelector('#residuals');
    const readings = flow.judgement?.readings ?? [];
    card.hidden = readings.length === 0;
    if (card.hidden) return;
    if (!this.figure) {
      const canvas = make('div', {});
      this.says = make('p', { class: 'soft' });
      body('residuals').append(canvas, make('p', { class: 'legend' }, make('span', { class: 'band' }, '95 % of readings are expected here')), this.says);
      this.figure = new Figure(canvas, new ResidualPicture(), 'Residuals');
    }
    const values = readings.map((r) => r.standardised ?? NaN);
    const chosen = flow.selected?.refs?.[0];
    this.figure.set({ values, selected: chosen ? readings.findIndex((r) => r.group === chosen.group && r.reading === chosen.reading) : -1 });
    const beyond = values.filter((v) => Math.abs(v) > 2).length, far = values.filter((v) => Math.abs(v) > 3).length;
    this.says.textContent = `Reading less what the others predict for it, in standard deviations. ${beyond} of ${values.length} beyond two${far ? `, ${far} beyond three (diamonds)` : ''}.`;
    this.figure.label = this.says.textContent;
  }
}

const mostRows = 500;

// showReadings lists the readings: the same as the sensors of the picture, for those who read.
export function showReadings(flow, hooks) {
  const card = document.querySelector('#readings'), host = body('readings');
  if (!card.open || !flow.problem) return;
  const { sensors, variables } = flow.problem;
  const judged = new Map((flow.stale ? [] : flow.judgement?.readings ?? []).map((r) => [`${r.group}:${r.reading}`, r]));
  const rows = [];
  const chosen = flow.selected?.refs?.[0];
  const where = (x) => x.map((v, i) => make('td', {}, within(v, ...(variables[i].range ?? [0, 1]))));
  sensors.forEach((group, g) => group.readings.forEach((reading, r) => {
    if (rows.length >= mostRows) return;
    const j = judged.get(`${g}:${r}`);
    const far = Math.abs(j?.standardised) > 3, selected = chosen?.group === g && chosen?.reading === r;
    rows.push(make('tr', { class: `${far ? 'far' : ''} ${selected ? 'selected' : ''}` },
      make('td', {}, reading.name || `${group.name} ${r + 1}`), ...where(reading.x), make('td', {}, significant(reading.value, 6)),
      make('td', {}, reading.sigma || group.sigma ? short(reading.sigma || group.sigma) : 'learned'),
      make('td', {}, j ? short(j.predicted) : ''), make('td', {}, Number.isFinite(j?.standardised) ? j.standardised.toFixed(2) : ''),
      make('td', {}, make('button', { type: 'button', 'aria-label': `Change ${reading.name || `reading ${r + 1} of ${group.name}`}`, click: () => hooks.change({ group: g, reading: r }) }, 'Change'))));
  }));
  flow.ghosts.forEach((ghost, i) => rows.push(make('tr', { class: 'off' },
    make('td', {}, ghost.name || 'switched off'), ...where(ghost.x), make('td', {}, significant(ghost.value, 6)), make('td', {}), make('td', {}), make('td', {}),
    make('td', {}, make('button', { type: 'button', 'aria-label': `Switch ${ghost.name || 'the reading'} on`, click: () => hooks.restore(i) }, 'On')))));
  const all = sensors.reduce((n, g) => n + g.readings.length, 0);
  host.replaceChildren(make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of readings' }, make('table', {},
    make('thead', {}, make('tr', {}, ...['sensor', ...variables.map((v) => v.name), 'value', 'noise', 'predicted', 'residual'].map((h) => make('th', { scope: 'col' }, h)), make('th', { scope: 'col' }, make('span', { class: 'hidden' }, 'change')))),
    make('tbody', {}, ...rows))), all > mostRows ? make('p', { class: 'soft' }, `The first ${mostRows} of ${all} readings.`) : '');
}

// showDetails says how the problem was understood, and how it was solved.
export function showDetails(flow, engine) {
  const card = document.querySelector('#details');
  if (!card.open || !flow.problem) return;
  const { problem, answer, judgement } = flow;
  const facts = [];
  const fact = (name, ...says) => facts.push(make('dt', {}, name), make('dd', {}, ...says));
  for (const s of problem.equations ?? []) fact(s.name || 'equation', make('code', {}, s.says));
  for (const s of problem.conditions ?? []) fact(s.name || 'condition', make('code', {}, s.says));
  for (const v of problem.variables) fact(v.name, `${v.label !== v.name ? `${v.label}, ` : ''}${v.range ? `${short(v.range[0])} to ${short(v.range[1])}` : ''}${v.log ? ', logarithmic' : ''}${v.start ? `, since ${v.start}` : ''}`);
  for (const g of problem.sensors) fact(g.name, `${count(g.readings.length, 'reading')} of ${g.measures}, noise ${g.learned ? 'learned' : g.sigma ? short(g.sigma) : 'of its own for each'}${g.student ? ', Student' : ''}`);
  for (const n of answer?.noise ?? []) if (n.learned) fact('noise', `${problem.sensors[n.group]?.name ?? ''}: ${short(n.sigma)}, learned`);
  if (answer) {
    if (answer.method) fact('method', answer.method);
    if (answer.neurons) fact('neurons', String(answer.neurons));
    if (answer.evidence) fact('log evidence', short(answer.evidence));
    fact('time', `${short(answer.seconds)} s${judgement ? `, verdict ${short(judgement.seconds)} s` : ''}`);
    if (answer.digest) fact('digest', make('code', { id: 'digest' }, answer.digest));
  }
  fact('engine', `bpielm ${engine.version || ''}, ${engine.kind === 'server' ? 'native' : 'WebAssembly'}`);
  for (const note of problem.notes ?? []) fact('note', note);
  body('details').replaceChildren(make('dl', { class: 'facts' }, ...facts));
}
