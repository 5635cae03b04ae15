// The engine, wherever it runs: behind the server that this page came from, or in a worker beside it. Both give
//
//   const engine = await connect();
//   const answer = await engine.call({ do: 'solve' }, (event) => ...);  // throws a Failure
//
// engine.kind is 'server' or 'worker', engine.version the program's, and engine.listen(f) hears every event, those of a
// stream of readings among them.

// A Failure is why a request failed, in words for a person. file and line say where, canceled that it was asked for, and
// lost that the engine knows nothing any more of what was open.
export class Failure extends Error {
  constructor({ message, file, line, canceled }, lost = false) {
    super(message);
    Object.assign(this, { name: 'Failure', file, line, canceled: Boolean(canceled), lost });
  }
}

// connect finds the engine.
export async function connect() {
  const greeting = await ping();
  return greeting ? Served.open(greeting) : Worked.open();
}

async function ping() {
  // The static site says so in its page: asking a file server in vain would leave an error in the console.
  if (document.querySelector('meta[name="bpielm-engine"][content="worker"]')) return null;
  if (!location.protocol.startsWith('http')) return null;
  try {
    const response = await fetch('api/ping', { cache: 'no-store', signal: AbortSignal.timeout(4000) });
    if (!response.ok) return null;
    const greeting = await response.json();
    return typeof greeting.bpielm === 'string' ? greeting : null;
  } catch {
    return null; // a plain file server answers with a page, or not at all
  }
}

// Base is what both have: requests that wait for their replies, and ears.
class Base {
  constructor() {
    this.last = 0;
    this.waiting = new Map(); // by ID: what hears the events of a request
    this.ears = new Set();
  }

  listen(f) {
    this.ears.add(f);
    return () => this.ears.delete(f);
  }

  // heard passes an event on. Progress belongs to the requests that want it; there is one of these at a time.
  heard(event, id) {
    if (event.event === 'progress') {
      for (const [of, f] of this.waiting) if (f && (id === undefined || id === of)) f(event);
    }
    for (const f of this.ears) f(event);
  }
}

class Served extends Base {
  static async open(greeting) {
    const engine = new Served();
    Object.assign(engine, { kind: 'server', version: greeting.bpielm, greeting });
    await engine.begin();
    document.addEventListener('visibilitychange', () => engine.hear());
    addEventListener('pagehide', () => navigator.sendBeacon(`api/close?session=${encodeURIComponent(engine.session)}`));
    addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); }); // the session was closed
    return engine;
  }

  async begin() {
    this.events?.close();
    const response = await fetch('api/open', { method: 'POST' });
    if (!response.ok) throw new Failure({ message: await saying(response) });
    this.session = (await response.json()).session;
    this.events = null;
    this.hear();
  }

  // hear reads events while somebody looks at the page, or it waits for something that has progress. A browser has six
  // connections to a server: pages that lie behind others must not use them up.
  hear() {
    const wanted = document.visibilityState === 'visible' || [...this.waiting.values()].some(Boolean);
    if (!wanted) {
      this.events?.close();
      this.events = null;
    } else if (!this.events || this.events.readyState === EventSource.CLOSED) {
      this.events = new EventSource(`api/events?session=${encodeURIComponent(this.session)}`);
      this.events.onmessage = (message) => this.heard(JSON.parse(message.data));
    }
  }

  async call(request, onEvent) {
    const id = ++this.last;
    this.waiting.set(id, onEvent);
    if (onEvent) this.hear();
    try {
      const response = await this.post({ ...request, id });
      if (response.status === 404 || response.status === 410) {
        await this.begin();
        throw new Failure({ message: 'The program has forgotten this page; what was open is opened again.' }, true);
      }
      if (!response.ok) throw new Failure({ message: await saying(response) });
      const reply = await response.json();
      if (reply.error) throw new Failure(reply.error);
      return reply.ok;
    } finally {
      this.waiting.delete(id);
      if (onEvent) this.hear();
    }
  }

  async post(request) {
    try {
      return await fetch(`api/call?session=${encodeURIComponent(this.session)}`, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request),
      });
    } catch {
      throw new Failure({ message: 'The program does not answer. Is `bpielm serve` still running?' });
    }
  }
}

async function saying(response) {
  const text = (await response.text()).trim();
  try {
    return JSON.parse(text).error.message;
  } catch {
    return text.slice(0, 500) || `The program answered ${response.status}.`;
  }
}

// Worked speaks with engine-worker.js: it posts {call: a Request as JSON}, and hears {ready: true, version} or
// {failed: why}, then {reply: a Reply} and, while a call runs, {event: an Event, id: that of the call}; both as objects or
// as JSON.
class Worked extends Base {
  static async open() {
    const engine = new Worked();
    engine.kind = 'worker';
    engine.replies = new Map();
    engine.worker = new Worker(new URL('engine-worker.js', import.meta.url), { type: 'module' });
    await new Promise((ready, failed) => {
      engine.worker.onerror = (event) => {
        event.preventDefault();
        const failure = new Failure({ message: `The engine cannot start: ${event.message || 'its files are missing'}.` });
        for (const { reject } of engine.replies.values()) reject(failure);
        engine.replies.clear();
        failed(failure);
      };
      engine.worker.onmessage = ({ data }) => {
        if (data.ready !== undefined) {
          engine.version = data.version ?? '';
          ready();
        } else if (data.failed !== undefined) {
          failed(new Failure({ message: data.failed }));
        } else if (data.event) {
          engine.heard(parsed(data.event), data.id);
        } else if (data.reply) {
          engine.settle(parsed(data.reply));
        }
      };
    });
    return engine;
  }

  settle(reply) {
    const asked = this.replies.get(reply.id);
    this.replies.delete(reply.id);
    if (reply.error) asked?.reject(new Failure(reply.error));
    else asked?.resolve(reply.ok);
  }

  async call(request, onEvent) {
    const id = ++this.last;
    this.waiting.set(id, onEvent);
    try {
      return await new Promise((resolve, reject) => {
        this.replies.set(id, { resolve, reject });
        this.worker.postMessage({ call: JSON.stringify({ ...request, id }) });
      });
    } finally {
      this.waiting.delete(id);
    }
  }
}

const parsed = (value) => (typeof value === 'string' ? JSON.parse(value) : value);
