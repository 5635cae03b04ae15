// The page: it finds the engine, opens a problem, and wires what people do to flow.js, which asks the engine, and what
// comes of that to the pictures and panels.
import { Editor } from './editor.js';
import { Flow } from './flow.js';
import { count, duration, rounded, short, significant, within } from './format.js';
import { Live, LiveView } from './live.js';
import { near, nearest } from './draw/grid.js';
import { repaint, sharpen } from './draw/figure.js';
import { Parameters, Residuals, make, showDetails, showReadings, showVerdict } from './panels.js';
import { Stage, sameRef } from './stage.js';
import { fromLink, readFiles, toLink } from './state.js';
import { connect } from './transport.js';
import { dateOf, isTime, scaleOf } from './view.js';

const stream = ':stream'; // among the examples, the readings that come in
const $ = (selector) => document.querySelector(selector);
let flow, engine, stage, editor, parameters, residuals, live, theExample = '';

/* Saying things */

let toastTimer;
function toast(text, bad = false) {
  const box = $('#toast');
  box.textContent = text;
  box.className = bad ? 'bad' : '';
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, bad ? 9000 : 4000);
}

const announce = (text) => { $('#announcer').textContent = text; };

// guarded runs what may fail, and says why it did.
async function guarded(work) {
  try {
    return await work();
  } catch (failure) {
    if (!failure.canceled) toast(failure.message, true);
    if (failure.name !== 'Failure' && !(failure instanceof SyntaxError)) console.warn(failure);
    return undefined;
  }
}

/* Showing what the flow has */

let wanted = null;

// refresh shows everything again before the next frame; 'progress' and 'picture' only what they concern.
function refresh(what = 'phase') {
  if (wanted) {
    wanted.add(what);
    return;
  }
  wanted = new Set([what]);
  queueMicrotask(() => {
    const of = wanted;
    wanted = null;
    showStatus();
    if (of.size === 1 && of.has('progress')) return;
    stage.show();
    parameters.show(flow);
    showVerdict(flow);
    if (of.size === 1 && of.has('picture')) {
      if (!flow.dragging) showPlaces();
      return;
    }
    residuals.show(flow);
    showHead();
    showSliders();
    showTools();
    showSensor();
    showPlaces();
    for (const id of ['#verdict', '#readings', '#details']) $(id).hidden = flow.phase === 'live';
    showReadings(flow, { change: (ref) => select({ refs: [ref] }, true), restore });
    showDetails(flow, engine);
    if (flow.files) editor.set(flow.files, flow.main, { force: of.has('undo') });
    editor.fault(flow.fault ?? null);
  });
}

function showHead() {
  const { problem, view } = flow;
  const title = problem?.title || (problem ? flow.main : flow.phase === 'fault' ? flow.main : 'bpielm');
  $('#title').textContent = title;
  document.title = title === 'bpielm' ? title : `${title} – bpielm`;
  $('#undo').disabled = !flow.history.canUndo;
  $('#redo').disabled = !flow.history.canRedo;
  for (const id of ['#text-button', '#save', '#link']) $(id).disabled = !flow.files;
  tabs('#fields', problem && problem.fields.length > 1 && flow.phase !== 'live' ? problem.fields.map((f) => f.name) : [], view?.field, (i) => {
    view.field = i;
    looked();
  });
  const over = flow.phase === 'live' ? [] : view?.over ?? [];
  const along = over.length > 1 ? [...over.map((i) => `along ${problem.variables[i].name}`)] : [];
  tabs('#modes', over.length > 1 ? ['Map', ...along] : [], view?.isMap ? 0 : (view?.along ?? 0) + 1, (i) => {
    view.mode = i === 0 ? 'map' : 'curve';
    view.along = Math.max(0, i - 1);
    looked();
  });
}

// looked asks for the picture of another view.
function looked() {
  flow.placements = null;
  refresh();
  if (flow.held && flow.edits) flow.preview(flow.edits);
  else flow.look();
}

function tabs(id, names, chosen, choose) {
  const host = $(id);
  host.hidden = names.length === 0;
  const key = names.join('\n');
  if (host.dataset.names !== key) {
    host.dataset.names = key;
    host.replaceChildren(...names.map((name, i) => make('button', { type: 'button', click: () => host.choose(i) }, name)));
  }
  host.choose = choose;
  [...host.children].forEach((b, i) => b.setAttribute('aria-pressed', String(i === chosen)));
}

function showStatus() {
  const { phase, progress, stale, held, failure } = flow;
  document.body.dataset.phase = flow.dragging ? 'preview' : phase;
  const badge = $('#badge');
  const busy = phase === 'solving' || phase === 'judging';
  const [kind, text] = flow.dragging && astray() ? ['held', 'Outside the domain: no equation holds there']
    : flow.dragging ? ['held', 'While you drag, hyper-parameters are held']
    : held && (phase === 'open' || phase === 'solved') ? ['held', 'Hyper-parameters are held until everything is inferred again']
    : phase === 'live' ? (flow.live?.ended ? ['', `The stream has ended: ${flow.live.ended}`] : ['good', flow.live?.readings ? 'Following readings' : 'Waiting for readings'])
    : phase === 'starting' ? ['busy', 'Starting the engine …']
    : phase === 'fault' ? ['bad', `The text cannot be read${flow.slice ? '; the picture is of the former one' : ''}`]
    : phase === 'failed' ? ['bad', 'No answer']
    : phase === 'solving' ? ['busy', `Inferring${held ? '; hyper-parameters are held meanwhile' : ''}`]
    : phase === 'judging' ? ['busy', 'Answer is there; asking for the verdict']
    : phase === 'open' ? ['', stale ? 'The picture is not up to date' : flow.slice ? 'To be inferred again' : 'Not inferred yet']
    : phase === 'solved' ? (flow.judgement && !flow.judgement.sound ? ['bad', 'Inferred; the verdict is against it'] : ['good', flow.judgement ? 'Inferred' : 'Inferred; no verdict yet'])
    : ['', ''];
  badge.className = `badge ${kind}`;
  const left = !busy ? '' : progress.waits > 0 ? `; ${count(progress.waits, 'other page')} before this one` : progress.left > 0 ? `, ${duration(progress.left)} left` : '';
  const wrong = failure && phase !== 'failed' && phase !== 'fault' ? `. ${failure.message}` : '';
  badge.textContent = text + left + wrong;
  badge.hidden = !text;
  const bar = $('#progress');
  bar.hidden = !busy;
  if (progress.share > 0) bar.value = progress.share;
  else bar.removeAttribute('value');
  $('#cancel').hidden = !busy;
  $('#infer').hidden = !(phase === 'failed' || (phase === 'open' && !flow.dragging && !flow.waiting));
  document.body.classList.toggle('dragging', Boolean(flow.dragging?.pointer));
  $('#stage').dataset.previews = flow.previews;
  if (badge.dataset.said !== phase) {
    badge.dataset.said = phase;
    announce({ solving: 'Inferring.', judging: 'The answer is there.', solved: flow.judgement ? (flow.judgement.sound ? 'Inferred: sound.' : 'Inferred: the verdict is against it.') : '', fault: flow.fault?.message ?? '', failed: failure?.message ?? '' }[phase] ?? '');
  }
}

// astray tells whether what is dragged is farther outside of the domain than can be seen.
function astray() {
  const { view, slice, dragging } = flow;
  if (!view.isMap || !slice || slice.blank) return false;
  const [s, t] = view.axes.map((i, k) => scaleOf(flow.problem.variables[i]).share(k === 0 ? dragging.at.x : dragging.at.y));
  const { outline } = slice;
  return outline ? !near(outline.inside, outline.columns, outline.rows, s, t, 3) : Number.isNaN(nearest(slice.mean, ...slice.size, s, t));
}

function showSliders() {
  const host = $('#sliders'), { view, problem } = flow;
  const sliders = view?.sliders ?? [];
  const key = sliders.map((i) => problem.variables[i].name).join('\n');
  if (host.dataset.names !== key) {
    host.dataset.names = key;
    playing = null;
    host.replaceChildren(...sliders.map((i) => {
      const name = problem.variables[i].name;
      const input = make('input', { type: 'range', min: 0, max: 1000, step: 1, id: `slider-${i}`, 'data-variable': name, input: () => slide(i, input.value / 1000) });
      const play = make('button', { type: 'button', class: 'icon', 'aria-label': `Play ${name}`, 'aria-pressed': 'false', click: () => toggle(i) });
      play.append(icon('play'));
      return make('div', { class: 'slider' }, make('label', { for: `slider-${i}` }, name), play, input, make('output', { for: `slider-${i}` }));
    }));
  }
  sliders.forEach((i, k) => {
    const row = host.children[k], v = problem.variables[i];
    const input = row.querySelector('input'), value = flow.view.at[i];
    const text = `${within(value, ...(v.range ?? [0, 1]))}${v.unit ? ` ${v.unit}` : ''}`, date = dateOf(v, value);
    input.value = Math.round(1000 * scaleOf(v).share(value));
    input.setAttribute('aria-valuetext', date || text);
    row.querySelector('output').textContent = date ? `${text} (${date})` : text;
    const play = row.querySelector('button');
    play.setAttribute('aria-pressed', String(playing === i));
    play.replaceChildren(icon(playing === i ? 'pause' : 'play'));
  });
}

function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

function slide(i, share) {
  flow.view.at[i] = scaleOf(flow.problem.variables[i]).at(share);
  flow.placements = null;
  showSliders();
  return flow.held && flow.edits ? flow.preview(flow.edits) : flow.glance();
}

let playing = null; // the variable that a slider plays

async function toggle(i) {
  playing = playing === i ? null : i;
  const seconds = 8; // from end to end
  let share = scaleOf(flow.problem.variables[i]).share(flow.view.at[i]);
  if (share > 0.995) share = 0;
  let last = performance.now();
  while (playing === i && flow.view?.sliders.includes(i)) {
    const now = performance.now();
    share = Math.min(1, share + (now - last) / 1000 / seconds);
    last = now;
    await Promise.all([slide(i, share), new Promise((next) => requestAnimationFrame(next))]);
    if (share >= 1) playing = null;
  }
  showSliders();
}

function showTools() {
  const { problem } = flow;
  const off = !problem || flow.phase === 'live';
  $('#tools').hidden = off;
  if (off) return;
  const names = problem.sensors.map((g) => g.name).join('\n'), kind = $('#kind');
  $('#kind-label').hidden = problem.sensors.length < 2;
  if (kind.dataset.names !== names) {
    kind.dataset.names = names;
    kind.replaceChildren(...problem.sensors.map((g, i) => make('option', { value: i }, `${g.name} (${g.measures})`)));
  }
  $('#where-next').setAttribute('aria-pressed', String(Boolean(flow.placements)));
  $('#where-next').disabled = !flow.slice;
  $('#add-sensor').disabled = problem.sensors.length === 0;
  $('#hint').textContent = adding ? 'Click where the sensor is to stand; Enter puts it in the middle, Esc lets it be.'
    : flow.view?.isMap === false ? 'Drag a sensor: up and down for its reading, sideways for its place.' : 'Drag a sensor, or click on it to change what it reads.';
}

/* Sensors */

let adding = false, form = {};

// select chooses a mark; opened shows its form, which a keyboard asks for with Enter.
function select(mark, opened = false) {
  flow.selected = mark && { refs: mark.refs, ref: mark.refs.length > 1 && mark.reading ? refOf(mark) : mark.refs[0] };
  if (opened) $('#sensor').dataset.wanted = 'true';
  refresh();
  if (opened) queueMicrotask(() => queueMicrotask(() => $('#sensor input')?.focus()));
}

// refOf is the reference of the reading that a mark shows.
const refOf = (mark) => mark.refs.find((r) => readingAt(r) === mark.reading) ?? mark.refs[0];
const readingAt = (ref) => (ref.ghost === undefined ? flow.problem?.sensors[ref.group]?.readings[ref.reading] : flow.ghosts[ref.ghost]);

function showSensor() {
  const host = $('#sensor'), { selected, problem } = flow;
  const ref = selected?.ref ?? selected?.refs[0], reading = ref && readingAt(ref);
  host.hidden = !reading;
  if (!reading) {
    form = {};
    return;
  }
  const group = ref.ghost === undefined ? problem.sensors[ref.group] : problem.sensors[reading.group];
  const key = JSON.stringify([ref, problem.variables.map((v) => v.name), selected.refs.length]);
  if (form.key !== key) {
    form = { key, inputs: {}, ref };
    const field = (name, label) => {
      const input = make('input', { type: 'number', step: 'any', name, input: () => typed(), change: () => entered() });
      form.inputs[name] = input;
      return make('label', {}, label, input);
    };
    form.says = make('p', {});
    const off = ref.ghost !== undefined;
    host.replaceChildren(form.says,
      ...(off ? [] : [...problem.variables.map((v) => field(v.name, v.label || v.name)), field('value', `reads (${group.measures})`), field('sigma', 'noise sd')]),
      make('button', { type: 'button', id: 'switch', click: () => switchSelected() }, off ? 'Switch on' : 'Switch off'),
      make('button', { type: 'button', click: () => select(null) }, 'Close'));
  }
  const name = reading.name || (ref.ghost === undefined ? `Sensor ${ref.reading + 1} of ${group.name}` : 'Switched off');
  const many = selected.refs.length > 1 ? `, one of ${selected.refs.length} readings at its place` : '';
  const judged = !flow.held && !flow.stale && flow.judgement?.readings.find((r) => r.group === ref.group && r.reading === ref.reading);
  form.says.replaceChildren(make('b', {}, name), many, judged && Number.isFinite(judged.leftOut) ? ` – the others predict ${short(judged.leftOut)}, ${Math.abs(judged.standardised).toFixed(1)} sd off` : '');
  if (ref.ghost !== undefined) return;
  const at = flow.dragging && selected.refs.some((r) => sameRef(r, flow.dragging.refs[0])) ? flow.dragging.edits.find((e) => e.group === ref.group && e.reading === ref.reading) : null;
  const put = (input, v) => {
    if (document.activeElement !== input && input.value !== v) input.value = v;
  };
  problem.variables.forEach((v, i) => put(form.inputs[v.name], within((at?.x ?? reading.x)[i], ...(v.range ?? [0, 1]))));
  put(form.inputs.value, significant(at?.value ?? reading.value, 8));
  const sigma = reading.sigma || group.sigma || flow.answer?.noise?.find((n) => n.group === ref.group)?.sigma;
  put(form.inputs.sigma, sigma ? significant(sigma, 6) : '');
}

// formEdits are the edits that the form asks for; null while a number is missing. What has not been changed is left out.
function formEdits() {
  const { ref, inputs } = form, reading = readingAt(ref);
  const number = (input) => (input.value.trim() === '' ? NaN : input.valueAsNumber);
  const changed = (input, was) => significant(number(input), 8) !== significant(was, 8);
  const edit = { group: ref.group, reading: ref.reading };
  const x = flow.problem.variables.map((v, i) => {
    const shown = within(reading.x[i], ...(v.range ?? [0, 1]));
    return inputs[v.name].value === shown ? reading.x[i] : number(inputs[v.name]);
  });
  if (x.some((v, i) => v !== reading.x[i])) edit.x = x;
  if (changed(inputs.value, reading.value)) edit.value = number(inputs.value);
  const sigma = reading.sigma || flow.problem.sensors[ref.group].sigma || flow.answer?.noise?.find((n) => n.group === ref.group)?.sigma;
  if (inputs.sigma.value !== (sigma ? significant(sigma, 6) : '')) edit.sigma = number(inputs.sigma);
  const numbers = [...(edit.x ?? []), edit.value ?? 0, edit.sigma ?? 1];
  if (!numbers.every(Number.isFinite) || (edit.sigma ?? 1) <= 0) return null;
  return Object.keys(edit).length > 2 ? [edit] : [];
}

function typed() {
  const edits = formEdits();
  if (edits?.length) preview(edits);
}

function entered() {
  const edits = formEdits();
  if (edits?.length) commit(edits);
}

// preview asks what a change would do, before it is one.
function preview(edits) {
  flow.editing = true;
  flow.edits = edits;
  if (flow.inference || flow.phase === 'solving') flow.cancel();
  flow.preview(edits);
}

// commit makes edits for good.
async function commit(edits, ghosts) {
  await guarded(() => flow.edit(edits, ghosts));
  flow.editing = false;
  flow.dragging = null;
  refresh();
}

// values is the range of what is shown: that of the field, or of the readings before there is one.
function values() {
  if (flow.slice) return [flow.slice.low, flow.slice.high];
  const all = flow.problem.sensors.flatMap((g) => g.readings.map((r) => r.value));
  return all.length ? all.reduce(([lo, hi], v) => [Math.min(lo, v), Math.max(hi, v)], [Infinity, -Infinity]) : [0, 1];
}

// editsFor are those that put a mark to another place.
function editsFor(mark, to) {
  const { view, problem } = flow;
  return mark.refs.map((ref) => {
    const reading = readingAt(ref), x = [...reading.x];
    view.axes.forEach((i, k) => {
      const v = problem.variables[i], at = k === 0 ? to.x : to.y;
      x[i] = v.log ? Number(at.toPrecision(5)) : scaleOf(v).clamp(rounded(at, ...(v.range ?? [0, 1])));
    });
    const edit = { group: ref.group, reading: ref.reading, x };
    if (to.value !== undefined && to.value !== mark.reading.value && sameRef(ref, refOf(mark))) edit.value = rounded(to.value, ...values());
    return edit;
  });
}

function drag(mark, to, pointer) {
  if (mark.state === 'off' || flow.phase === 'live') return;
  const began = !flow.dragging;
  const refs = flow.dragging?.refs ?? mark.refs;
  const edits = editsFor({ ...mark, refs }, to);
  flow.dragging = { refs, at: to, edits, pointer };
  flow.edits = edits;
  if (began && (flow.inference || flow.timer)) flow.cancel();
  flow.preview(edits);
  showStatus();
  showSensor();
  stage.show();
}

function drop() {
  const { dragging } = flow;
  if (!dragging) return;
  dragging.pointer = false;
  commit(dragging.edits);
}

let nudges;

const hooks = {
  grasping: () => !adding && flow.phase !== 'live',
  chosen: (mark) => {
    if (flow.phase !== 'live' && (!flow.selected || !mark.refs.some((r) => sameRef(r, flow.selected.refs[0])))) select(mark);
  },
  moved: (mark, to) => drag(mark, to, true),
  released: (mark, moved) => {
    if (moved) drop();
  },
  canceled: () => {
    flow.dragging = null;
    flow.held = null;
    flow.edits = null;
    if (flow.slice) flow.look();
    refresh();
  },
  nudged: (mark, to) => {
    drag(mark, to, false);
    clearTimeout(nudges);
    nudges = setTimeout(drop, 500);
  },
  switched: (mark) => flow.phase !== 'live' && (mark.state === 'off' ? restore(mark.refs[0].ghost) : switchOff(mark.refs)),
  asked: (mark) => flow.phase !== 'live' && select(mark, true),
  clicked: (at, event) => {
    if (flow.phase === 'live') return;
    if (adding || event.detail === 2) add(at);
    else if (flow.selected) select(null);
  },
  painted: () => {
    if (document.body.dataset.picture || !flow.slice) return;
    document.body.dataset.picture = 'ready';
    performance.mark('first-picture');
  },
};

function switchSelected() {
  const { selected } = flow;
  if (!selected) return;
  if (selected.refs[0].ghost !== undefined) restore(selected.refs[0].ghost);
  else switchOff(selected.refs);
}

// switchOff leaves readings out. They stay on the picture as crosses, and can be switched on again.
async function switchOff(refs) {
  const edits = refs.map(({ group, reading }) => ({ group, reading, off: true }));
  const gone = refs.map((ref) => {
    const reading = readingAt(ref), group = flow.problem.sensors[ref.group];
    return { ...reading, group: ref.group, name: reading.name || `${group.name} ${ref.reading + 1}` };
  });
  preview(edits);
  const ghosts = [...flow.ghosts, ...gone];
  await commit(edits, ghosts);
  if (flow.ghosts === ghosts) select({ refs: [{ ghost: ghosts.length - 1 }] });
}

// restore switches a reading on again.
async function restore(index) {
  const { group, x, value, sigma } = flow.ghosts[index];
  const edits = [{ group, reading: -1, x, value, ...(sigma ? { sigma } : {}) }];
  preview(edits);
  const ghosts = flow.ghosts.filter((_, i) => i !== index);
  await commit(edits, ghosts);
  if (flow.ghosts === ghosts) selectAt(group, x);
}

const selectAt = (group, x) => {
  const reading = flow.problem.sensors[group].readings.findLastIndex((r) => r.x.every((v, i) => v === x[i]));
  select(reading < 0 ? null : { refs: [{ group, reading }] });
};

// add puts a sensor somewhere, with the mean there as its reading.
async function add(at, value) {
  setAdding(false);
  const { view, problem, slice } = flow;
  const group = Number($('#kind').value) || 0, like = problem.sensors[group];
  const x = [...view.at];
  view.axes.forEach((i, k) => {
    const v = problem.variables[i], to = k === 0 ? at.x : at.y;
    x[i] = v.log ? Number(to.toPrecision(5)) : rounded(to, ...(v.range ?? [0, 1]));
  });
  const shares = view.axes.map((i) => scaleOf(problem.variables[i]).share(x[i]));
  let reads = value ?? 0;
  if (slice && value === undefined && like.field === view.field) {
    const mean = view.isMap ? nearest(slice.mean, ...slice.size, ...shares) : nearest(slice.mean, slice.mean.length, 1, shares[0], 0);
    if (!view.isMap && at.y !== undefined) reads = at.y;
    else if (Number.isFinite(mean)) reads = mean;
  } else if (value === undefined && like.readings.length) {
    reads = like.readings.reduce((sum, r) => sum + r.value, 0) / like.readings.length;
  }
  const edit = { group, reading: -1, x, value: rounded(reads, ...values()) };
  if (!like.sigma && !like.learned) edit.sigma = like.readings[0]?.sigma;
  preview([edit]);
  await commit([edit]);
  selectAt(group, x);
}

function setAdding(on) {
  if (adding === on) return;
  adding = on;
  $('#add-sensor').setAttribute('aria-pressed', String(on));
  document.body.classList.toggle('adding', on);
  showTools();
}

/* Where next? */

async function whereNext() {
  if (flow.placements) {
    flow.placements = null;
    refresh();
    return;
  }
  const button = $('#where-next');
  button.disabled = true;
  button.setAttribute('aria-busy', 'true');
  await guarded(() => flow.place(Number($('#kind').value) || 0, 5));
  button.removeAttribute('aria-busy');
  if (flow.placements) announce(`${flow.placements.places.length} places for further sensors.`);
  refresh();
}

function showPlaces() {
  const host = $('#places'), { placements, problem } = flow;
  host.hidden = !placements;
  if (!placements) {
    host.replaceChildren();
    host.of = null;
    return;
  }
  if (host.of === placements) return;
  host.of = placements;
  host.replaceChildren(...placements.places.map((p, i) => {
    const where = p.x.map((v, k) => `${problem.variables[k].name} = ${within(v, ...(problem.variables[k].range ?? [0, 1]))}`).join(', ');
    const less = p.before > 0 ? ` (−${Math.round(100 * (1 - p.after / p.before))}\u00a0%)` : '';
    return make('li', {}, make('b', {}, String(i + 1)), make('span', {}, `${where}: mean sd ${short(p.before)} → ${short(p.after)}${less}`),
      make('button', { type: 'button', 'aria-label': `Add a sensor at place ${i + 1}`, click: () => addPlace(p) }, 'Add'));
  }));
}

function addPlace(place) {
  flow.view.sliders.forEach((i) => { flow.view.at[i] = place.x[i]; });
  const [h, v] = flow.view.axes;
  flow.placements = null;
  const kind = Number($('#kind').value) || 0;
  const mean = flow.problem.sensors[kind].field === flow.view.field && !flow.view.isMap ? nearest(flow.slice.mean, flow.slice.mean.length, 1, scaleOf(flow.problem.variables[h]).share(place.x[h]), 0) : undefined;
  add({ x: place.x[h], y: place.x[v] }, Number.isFinite(mean) ? mean : undefined);
}

/* Files, links, exports */

function download(blob, name) {
  const a = make('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

const baseName = () => (flow.problem?.title || 'bpielm').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 48) || 'bpielm';

async function exported(what) {
  await guarded(async () => {
    const file = await flow.call({ do: 'export', what });
    download(new Blob([Uint8Array.from(atob(file.data), (c) => c.charCodeAt(0))], { type: file.type }), file.name);
  });
}

function showExports() {
  const items = [];
  for (const { figure, title } of stage.figures) {
    if (figure.data && !figure.host.parentElement.hidden) items.push([`Picture: ${title} (PNG)`, `png-${items.length}`, async () => download(await figure.png(), `${baseName()}-${title.replace(/[^A-Za-z0-9]+/g, '-')}.png`)]);
  }
  parameters.figures.forEach(({ figure }, i) => {
    const name = flow.answer?.parameters[i]?.name;
    if (name && figure.data && !figure.host.hidden) items.push([`Picture: density of ${name} (PNG)`, `png-${items.length}`, async () => download(await figure.png(), `${baseName()}-${name}.png`)]);
  });
  if (residuals.figure?.data) items.push(['Picture: residuals (PNG)', `png-${items.length}`, async () => download(await residuals.figure.png(), `${baseName()}-residuals.png`)]);
  const rule = items.length;
  if (flow.answer) {
    items.push(['Solution (CSV)', 'csv', () => exported('csv')]);
    items.push(['Model', 'model', () => exported('model')]);
  }
  items.push(['Problem and its tables (zip)', 'problem', () => exported('problem')]);
  if (engine.kind === 'server') items.push(['All that solve writes (zip)', 'all', () => exported('all')]);
  $('#export-menu').replaceChildren(...items.map(([text, what, act], i) => make('li', { class: i === rule && rule ? 'rule' : false },
    make('button', { type: 'button', 'data-export': what, click: () => { menu(false); act(); } }, text))));
}

function menu(open) {
  if (open) showExports();
  $('#export-menu').hidden = !open;
  $('#export').setAttribute('aria-expanded', String(open));
  if (open) $('#export-menu button')?.focus();
}

async function copyLink() {
  await guarded(async () => {
    editor.flush();
    const fragment = await toLink({ files: flow.files, main: flow.main });
    history.replaceState(null, '', fragment);
    const large = fragment.length > 30000 ? ' It is long: some programs cut it off.' : '';
    try {
      await navigator.clipboard.writeText(location.href);
      toast(`The link is copied. It carries the problem and its tables.${large}`);
    } catch {
      toast(`The link is in the address bar. It carries the problem and its tables.${large}`);
    }
  });
}

async function openFiles(list) {
  if (!list.length) return;
  await guarded(async () => {
    const { files, main } = await readFiles(list);
    opened('');
    await flow.open(files, main);
    if (flow.fault) showText(true);
  });
}

// opened says that something else is open now than what the address and the list of examples say.
function opened(example) {
  setAdding(false);
  theExample = example;
  $('#examples').value = example;
  if (location.hash.startsWith('#p=')) history.replaceState(null, '', location.pathname + location.search);
}

async function openLink() {
  const problem = await fromLink(location.hash).catch((failure) => {
    toast(`The link cannot be read: ${failure.message}.`, true);
    return null;
  });
  if (!problem) return false;
  theExample = '';
  await guarded(() => flow.open(problem.files, problem.main));
  if (flow.fault) showText(true);
  return true;
}

async function openExample(name) {
  opened(name);
  await guarded(() => flow.example(name));
  if (flow.fault) showText(true);
}

function showText(open) {
  $('#editor').hidden = !open;
  $('main').classList.toggle('with-text', open);
  $('#text-button').setAttribute('aria-expanded', String(open));
  $('#text-button').setAttribute('aria-pressed', String(open));
  if (!open) return;
  editor.fill();
  editor.number();
  editor.fault(flow.fault ?? null);
  editor.reveal();
}

async function go(step) {
  clearTimeout(editor.waiting);
  editor.waiting = null;
  await guarded(() => flow.go(step));
  refresh('undo');
  refresh();
}

/* Theme */

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  $('#theme').setAttribute('aria-pressed', String(dark));
  repaint();
}

function stored(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null; // a page may be forbidden to store anything
  }
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
setTheme(stored('theme') ? stored('theme') === 'dark' : prefersDark.matches);
prefersDark.addEventListener('change', () => {
  if (!stored('theme')) setTheme(prefersDark.matches);
});

// Paper is light.
let onScreen = null;
addEventListener('beforeprint', () => {
  onScreen ??= document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = 'light';
  sharpen();
});
addEventListener('afterprint', () => {
  document.documentElement.dataset.theme = onScreen ?? 'light';
  onScreen = null;
  repaint();
});

/* Wiring */

function wire() {
  const on = (id, event, f) => $(id).addEventListener(event, f);
  on('#theme', 'click', () => {
    const dark = document.documentElement.dataset.theme !== 'dark';
    stored('theme', dark ? 'dark' : 'light');
    setTheme(dark);
  });
  on('#text-button', 'click', () => showText($('#editor').hidden));
  on('#open', 'click', () => $('#files').click());
  on('#files', 'change', (event) => openFiles([...event.target.files]).finally(() => { event.target.value = ''; }));
  on('#save', 'click', () => exported('problem'));
  on('#link', 'click', copyLink);
  on('#export', 'click', () => menu($('#export-menu').hidden));
  on('#undo', 'click', () => go(-1));
  on('#redo', 'click', () => go(1));
  on('#cancel', 'click', () => flow.cancel());
  on('#infer', 'click', () => flow.infer());
  on('#examples', 'change', (event) => {
    if (event.target.value === stream) follow();
    else if (event.target.value) openExample(event.target.value);
  });
  on('#add-sensor', 'click', () => setAdding(!adding));
  on('#where-next', 'click', whereNext);
  on('#kind', 'change', () => {
    flow.placements = null;
    refresh();
  });
  on('#help-button', 'click', () => $('#help').showModal());
  on('#sensor', 'submit', (event) => {
    event.preventDefault();
    entered();
  });
  for (const id of ['#readings', '#details']) on(id, 'toggle', () => refresh());
  addEventListener('hashchange', () => { if (flow && location.hash.startsWith('#p=')) openLink(); });
  addEventListener('resize', repaint);
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.menu')) menu(false);
  });
  addEventListener('keydown', keys);
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      document.body.classList.toggle('dropping', name === 'dragenter' || name === 'dragover');
      if (name === 'drop' && flow) openFiles([...event.dataTransfer.files]);
    });
  }
}

function keys(event) {
  if (!flow) return;
  const command = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
  const typing = event.target.matches('input:not([type="range"]), textarea, select');
  if (command && key === 'z' && !event.target.matches('textarea')) {
    event.preventDefault();
    go(event.shiftKey ? 1 : -1);
  } else if (command && key === 'y' && !event.target.matches('textarea')) {
    event.preventDefault();
    go(1);
  } else if (command && key === 's') {
    event.preventDefault();
    exported('problem');
  } else if (command && key === 'o') {
    event.preventDefault();
    $('#files').click();
  } else if (command && key === 'e') {
    event.preventDefault();
    showText($('#editor').hidden);
    if (!$('#editor').hidden) $('#editor textarea').focus();
  } else if (key === 'escape' && !$('#export-menu').hidden) {
    menu(false);
    $('#export').focus();
  } else if (key === 'escape' && adding) {
    setAdding(false);
  } else if (key === 'escape' && !typing && !flow.dragging && flow.inference) {
    flow.cancel();
  } else if (key === 'enter' && adding && !event.target.matches('button')) {
    const [h, v] = flow.view.axes.map((i) => scaleOf(flow.problem.variables[i]).at(0.5));
    add({ x: h, y: flow.view.isMap ? v : undefined });
  } else if (!typing && !command && !event.altKey && !$('#help').open) {
    if (event.key === '?') $('#help').showModal();
    else if (key === 'a' && flow.problem && flow.phase !== 'live') setAdding(!adding);
    else if (key === 'n' && flow.slice && flow.phase !== 'live') whereNext();
  }
}

async function begin() {
  performance.mark('begin');
  stage = new Stage({}, hooks); // until there is an engine
  wire();
  const idle = [$('main'), ...document.querySelectorAll('header .examples, header .buttons:not(.last)')];
  for (const part of idle) part.inert = true;
  $('#badge').className = 'badge busy';
  $('#badge').textContent = 'Starting the engine …';
  try {
    engine = await connect();
  } catch (failure) {
    $('#badge').className = 'badge bad';
    $('#badge').textContent = failure.message;
    $('#empty').hidden = false;
    return;
  }
  performance.mark('engine');
  for (const part of idle) part.inert = false;
  flow = new Flow(engine, refresh);
  stage.flow = flow;
  parameters = new Parameters();
  residuals = new Residuals();
  live = new Live();
  editor = new Editor($('#editor'), (name, text) => guarded(() => (name === flow.main ? flow.check(text) : flow.replace(name, text))));
  engine.listen((event) => {
    if (event.event === 'estimate') heard(event.estimate);
  });
  refresh();
  const examples = await guarded(() => flow.call({ do: 'examples' })) ?? [];
  $('#examples').append(...examples.map((e) => make('option', { value: e.name }, e.title ? `${e.title}` : e.name)));
  if (engine.greeting?.live) $('#examples').append(make('option', { value: stream }, 'Live readings'));
  if (await openLink()) return;
  if (engine.greeting?.live) follow();
  else if (examples.length) await openExample(examples[0].name);
}

// follow shows a stream of readings in place of a problem.
function follow() {
  opened(stream);
  flow.change(() => {
    flow.followed(null);
    if (heardLast) heard(heardLast);
  });
}

let heardLast = null;

// heard shows the state of a stream of readings.
function heard(estimated) {
  heardLast = estimated;
  const ill = live.show(estimated);
  if (ill) announce(ill);
  if (flow.phase !== 'live') return;
  flow.followed(estimated, new LiveView(estimated));
  refresh();
}

begin();
