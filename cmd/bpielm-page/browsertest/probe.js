// What the tests see the page with. It is there before the page is, and changes nothing of it.
globalThis.probe = (() => {
  const kept = {};
  const side = 320; // pictures are compared at this size
  let outside = '';
  // watch looks at every frame whether something makes the page wider than the window.
  const watch = () => {
    const wide = (document.scrollingElement?.scrollWidth ?? 0) - innerWidth;
    if (wide > 0) {
      outside = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth)
        .reduce((all, e) => `${all} ${e.outerHTML.slice(0, 80)}`, `${wide} px, by`);
    }
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
  return {
    // state is what a person would see of the state of the page.
    state() {
      const text = (id) => document.querySelector(id)?.textContent ?? '';
      const toast = document.querySelector('#toast');
      return JSON.stringify({ phase: document.body.dataset.phase, badge: text('#badge'), verdict: text('#verdict'), title: text('#title'), wrong: text('#wrong'), toast: toast?.hidden ? '' : toast?.textContent, undo: !document.querySelector('#undo')?.disabled, focus: document.activeElement?.outerHTML.slice(0, 120) });
    },

    // outside names the elements that reach beyond the right edge of the window.
    outside() {
      return [...document.querySelectorAll('body *')].map((e) => [e, e.getBoundingClientRect()]).filter(([, r]) => r.right > innerWidth)
        .map(([e, r]) => `${e.tagName.toLowerCase()}#${e.id}.${e.getAttribute('class') ?? ''} from ${r.left} to ${r.right}`);
    },

    // outside says what has made the page wider than the window since it was last asked.
    outside() {
      const said = outside;
      outside = '';
      return said;
    },

    // changed counts the pixels of a picture that differ from those of the last call, farther than 22 pixels from where
    // sensors are or were: the field, not the marks on it.
    changed(name) {
      const canvas = document.querySelector(`[data-picture="${name}"] canvas`);
      const small = new OffscreenCanvas(side, side);
      const ctx = small.getContext('2d', { willReadFrequently: true });
      ctx.drawImage(canvas, 0, 0, side, side);
      const now = ctx.getImageData(0, 0, side, side).data;
      const box = canvas.getBoundingClientRect();
      const first = document.querySelector('[data-picture] canvas').getBoundingClientRect();
      const marks = [...document.querySelectorAll('.handles button')].map((b) => {
        const r = b.getBoundingClientRect();
        return { x: (r.x + r.width / 2 - first.x) / first.width, y: (r.y + r.height / 2 - first.y) / first.height };
      });
      const was = kept[name];
      kept[name] = { now, marks };
      if (!was) return 0;
      const near = [...marks, ...was.marks];
      let count = 0;
      for (let i = 0; i < now.length; i += 4) {
        if (Math.abs(now[i] - was.now[i]) + Math.abs(now[i + 1] - was.now[i + 1]) + Math.abs(now[i + 2] - was.now[i + 2]) < 6) continue;
        const x = (i / 4 % side + 0.5) / side, y = (Math.floor(i / 4 / side) + 0.5) / side;
        if (!near.some((m) => Math.hypot((m.x - x) * box.width, (m.y - y) * box.height) < 22)) count++;
      }
      return count;
    },
  };
})();
