// The work between the page and the engine: one change at a time, a full inference after a pause, the verdict after that,
// and pictures in between. Everything that others see of it is in its members; changed() says that they are new.
import { bits, decode, range } from './draw/grid.js';
import { Failure } from './transport.js';
import { History } from './state.js';
import { View } from './view.js';

// latest returns a function that runs one call at a time. Of the calls that come meanwhile, only the last is made.
export function latest(run) {
  let running = false, waiting = null;
  return async function call(argument) {
    if (running) {
      waiting = { argument };
      return;
    }
    running = true;
    try {
      await run(argument);
    } finally {
      running = false;
      if (waiting) {
        const { argument: next } = waiting;
        waiting = null;
        call(next);
      }
    }
  };
}

const fine = 360; // nodes along each side of the grid on which the edge of a domain is drawn

const slow = 80; // milliseconds that a picture may take while a slider moves, or it becomes coarser

const rest = 200; // milliseconds after which a slider stands still

const pause = 900; // milliseconds after the last change, before everything is inferred again

// outlined is an outline that the engine has sent.
const outlined = (sent) => (sent ? { columns: sent.size[0], rows: sent.size[1], inside: bits(sent.inside, sent.size[0] * sent.size[1]) } : null);

// Phases: 'empty', 'fault' (the text cannot be read), 'open' (not inferred), 'solving', 'judging', 'solved', 'failed', and 'live' (readings come in).
export class Flow {
  constructor(engine, changed) {
    Object.assign(this, { engine, changed, history: new History(), phase: 'empty', ghosts: [], progress: {}, previews: 0 });
    this.turn = Promise.resolve();
    this.points = engine.kind === 'server' ? 81 : 49; // along each side of a map
    this.outlines = [];
    this.look = latest((coarse) => this.fetchSlice(coarse));
    this.preview = latest((edits) => this.fetchPreview(edits));
  }

  // call asks the engine, and once more if it has forgotten what was open.
  async call(request, onEvent) {
    try {
      return await this.engine.call(request, onEvent);
    } catch (failure) {
      if (!failure.lost || !this.history.present) throw failure;
      const { files, main } = this.history.present;
      await this.engine.call({ do: 'open', files, main });
      if (['solve', 'check', 'export', 'examples'].includes(request.do)) return this.engine.call(request, onEvent);
      this.later(0);
      throw failure;
    }
  }

  // change runs what changes the problem, after what runs already.
  change(work) {
    const run = this.turn.then(() => this.interrupt()).then(work);
    this.turn = run.catch(() => {});
    return run;
  }

  // interrupt stops an inference that runs or waits.
  async interrupt() {
    clearTimeout(this.timer);
    if (!this.inference) return;
    this.stopping = true;
    await this.engine.call({ do: 'cancel' }).catch(() => {});
    await this.inference;
  }

  open(files, main) {
    return this.change(async () => {
      this.took(await this.call({ do: 'open', files, main }), { fresh: true });
      if (this.phase === 'open') this.later(0);
    });
  }

  example(name) {
    return this.change(async () => {
      this.took(await this.call({ do: 'example', name }), { fresh: true });
      if (this.phase !== 'open') return;
      await this.shipped();
      if (!this.answer) this.later(0);
    });
  }

  // shipped shows what comes with a problem that has been solved before.
  async shipped() {
    const { answer, judgement } = this.problem;
    if (!answer) return;
    Object.assign(this, { answer, judgement: judgement ?? null, answered: this.history.present, held: null, stale: false });
    await this.fetchSlice();
    if (judgement) this.enter('solved');
    else this.later(0);
    this.keep();
  }

  // took takes a problem that the engine has read. fresh is one that has nothing to do with the former one.
  took(problem, { fresh = false, record = true, ghosts } = {}) {
    this.live = null;
    const read = !problem.fault;
    const state = { files: problem.files, main: problem.main };
    if (fresh) this.history = new History();
    if (fresh || ghosts) this.ghosts = ghosts ?? [];
    this.fault = problem.fault ?? null;
    this.files = problem.files;
    this.main = problem.main;
    if (read) {
      this.problem = problem;
      this.view = new View(problem, fresh ? null : this.view);
      this.placements = null;
      if (fresh) Object.assign(this, { answer: null, judgement: null, slice: null, held: null, selected: null });
    } else if (fresh) {
      Object.assign(this, { problem: null, view: null, answer: null, judgement: null, slice: null, held: null, placements: null, selected: null });
    }
    if (record) this.history.push({ ...state, ghosts: this.ghosts });
    this.enter(read ? 'open' : 'fault');
  }

  // followed takes the state of a stream of readings, in place of a problem; null before there is one.
  followed(estimated, view = null) {
    const { problem } = view ?? {};
    Object.assign(this, { live: estimated, view, problem: problem ?? null, fault: null, files: null, answer: null, judgement: null, held: null, stale: false, selected: null, placements: null, ghosts: [], slice: null, phase: 'live' });
    this.history = new History();
    if (estimated?.slice) this.show(estimated.slice, view, estimated.of);
    if (this.slice) Object.assign(this.slice, { field: view.field, axes: view.axes, outline: outlined(estimated.outline) });
    this.changed('phase');
  }

  // check takes a new text of the problem file.
  check(text) {
    return this.change(async () => {
      const problem = await this.call({ do: 'check', text });
      if (problem.fault) {
        this.fault = problem.fault;
        this.files = problem.files;
        this.enter('fault');
        return;
      }
      this.took(problem);
      this.stale = true;
      this.later(pause);
    });
  }

  // replace takes a new text of one of the files.
  replace(name, text) {
    return this.change(async () => {
      this.took(await this.call({ do: 'open', files: { ...this.files, [name]: text }, main: this.main }));
      this.stale = true;
      if (!this.fault) this.later(pause);
    });
  }

  // edit changes readings for good.
  edit(edits, ghosts = this.ghosts) {
    return this.change(async () => {
      this.took(await this.call({ do: 'edit', edits }), { ghosts });
      if (this.fault) return;
      if (this.slice) this.preview([]); // what has changed since the last inference counts
      this.edits = [];
      this.later(pause);
    });
  }

  // go goes back or forth in the history. What was inferred then is shown at once, while it is inferred again.
  go(step) {
    return this.change(async () => {
      const state = step < 0 ? this.history.undo() : this.history.redo();
      if (!state) return;
      this.selected = null;
      this.took(await this.call({ do: 'open', files: state.files, main: state.main }), { record: false, ghosts: state.ghosts });
      if (state.result) Object.assign(this, { ...state.result, held: null, stale: false });
      else this.stale = true;
      this.enter(this.phase);
      if (this.fault) return;
      if (this.problem.answer) await this.shipped();
      else this.later(pause);
    });
  }

  // later infers everything after some milliseconds without a further change.
  later(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.infer(), milliseconds);
  }

  // infer infers everything, and then asks for the verdict.
  infer() {
    if (this.inference || this.fault || !this.problem) return;
    this.stopping = false;
    this.inference = this.inferring().catch((failure) => {
      const stopped = failure.canceled || this.stopping;
      this.failure = stopped ? null : failure;
      this.enter(stopped ? (this.answer && this.answered === this.history.present ? 'solved' : 'open') : 'failed');
    }).finally(() => { this.inference = null; });
  }

  async inferring() {
    const step = this.history.present;
    this.failure = null;
    this.began = performance.now();
    this.enter('solving');
    const answer = await this.call({ do: 'solve' }, (event) => this.progressed(event));
    Object.assign(this, { answer, answered: step, judgement: null, held: null, stale: false });
    this.edits = null;
    await this.fetchSlice();
    this.enter('judging');
    this.judgement = await this.call({ do: 'judge' }, (event) => this.progressed(event));
    this.keep();
    this.enter('solved');
  }

  // keep keeps what was inferred with the step of the history that it is of.
  keep() {
    const { answer, judgement, slice } = this;
    if (this.history.present && answer) this.history.present.result = { answer, judgement, slice };
  }

  progressed({ share, left, waits }) {
    this.progress = { share, left, waits };
    this.changed('progress');
  }

  enter(phase) {
    this.phase = phase;
    if (phase === 'solving' || phase === 'judging') this.progress = {};
    this.changed('phase');
  }

  // cancel stops an inference because somebody asks for that.
  cancel() {
    this.turn = this.turn.then(() => this.interrupt());
  }

  // glance gets pictures while a slider moves: coarse ones, if others take long, and a fine one when it stands still.
  glance() {
    clearTimeout(this.resting);
    const coarse = this.lasted > slow && this.view?.isMap;
    if (coarse) this.resting = setTimeout(() => this.look(), rest);
    return this.look(coarse);
  }

  // fetchSlice gets the picture of what is looked at.
  async fetchSlice(coarse = false) {
    const { view } = this;
    if (!view) return;
    const slice = view.sliceOf(coarse ? Math.ceil(this.points / 2) : this.points), began = performance.now();
    try {
      this.show(await this.call({ do: 'slice', slice }), view, slice);
      if (!coarse) this.lasted = Math.max(performance.now() - began, 0.5 * (this.lasted ?? 0)); // some are remembered
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.missing = failure; // nothing has been inferred yet
    }
    this.changed('picture');
  }

  // show takes a slice that the engine has sent.
  show(sent, view, asked) {
    if (view !== this.view) return;
    const mean = decode(sent.mean), sd = sent.sd ? decode(sent.sd) : null;
    const size = view.isMap ? asked.size : [mean.length];
    const [sdLow] = sd ? range(sd) : [0];
    this.slice = {
      mean, sd, size, field: asked.field, axes: asked.axes, at: asked.at, low: sent.low, high: sent.high, sdHigh: sent.sdHigh,
      sdLow: view.sliders.length || !Number.isFinite(sdLow) ? 0 : sdLow,
    };
    if (view.isMap && this.phase !== 'live') this.outline(this.slice, view, asked);
  }

  // outline finds the edge of the domain on a finer grid, if the slice does not fill its box. Slices with the same numbers
  // missing have the same edge.
  outline(slice, view, asked) {
    const missing = slice.mean.map((v) => (v === v ? 0 : 1));
    if (!missing.includes(1)) return;
    const known = this.outlines.find((o) => o.problem === this.problem.main + this.problem.files[this.main] && o.missing.length === missing.length && o.missing.every((m, k) => m === missing[k]));
    if (known) {
      slice.outline = known.inside ? known : null;
      return;
    }
    const made = { problem: this.problem.main + this.problem.files[this.main], missing, inside: null };
    this.outlines = [made, ...this.outlines.slice(0, 7)];
    this.call({ do: 'outline', slice: { ...asked, size: [fine, fine] } }).then((sent) => {
      Object.assign(made, outlined(sent));
      if (this.slice?.size.join() === slice.size.join()) this.outline(this.slice, view, asked);
      this.changed('picture');
    }, () => {}); // the edge of the slice does, too
  }

  // fetchPreview gets what the last inference would say with these edits.
  async fetchPreview(edits) {
    const { view } = this;
    if (!view || !this.slice) return;
    const slice = view.sliceOf(this.points);
    try {
      const sent = await this.call({ do: 'preview', edits, slice });
      if (view !== this.view || this.phase === 'solved' && !this.dragging && !this.editing) return;
      const former = this.slice ?? {}, { sdLow, sdHigh, low, high } = former;
      const before = former.before ?? former.mean;
      this.show(sent, view, slice);
      // Colours keep still while something is dragged, as far as they reach.
      if (low < high) {
        const [least, most] = range(this.slice.mean), [, mostSD] = range(this.slice.sd ?? []);
        Object.assign(this.slice, { low: Math.min(low, least), high: Math.max(high, most), sdLow, sdHigh: Math.max(sdHigh, mostSD) });
      }
      this.slice.before = before;
      this.held = { parameters: sent.parameters ?? [], predicted: sent.predicted ?? [] };
      this.previews++;
      this.failure = null;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (!failure.canceled) this.failure = failure;
    }
    this.changed('picture');
  }

  // place asks where further sensors like those of a group would help most.
  async place(kind, count) {
    const { view } = this;
    const slice = view.sliceOf(this.points);
    const { places, gain } = await this.call({ do: 'place', slice, kind, count }, (event) => this.progressed(event));
    if (view !== this.view) return;
    this.placements = { places, gain: gain ? decode(gain) : null, size: view.isMap ? slice.size : null, kind };
    this.changed('picture');
  }
}
