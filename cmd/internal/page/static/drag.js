// Pointer and keyboard on a picture: sensors are dragged, chosen, moved with the arrow keys and switched off.

const reach = { mouse: 14, touch: 21, pen: 18 }; // pixels around a mark, at a text size of 16 px

// hold lets marks of a canvas be dragged. hooks:
//
//   marks()               where they are now: [{px, py, ...}]; none while they are not to be grasped
//   pressed(mark, at)     one was grasped; at is {px, py}
//   moved(mark, at, event)
//   released(mark, moved) moved tells whether it was moved at all
//   canceled(mark)
//   clicked(at, event)    a place without a mark
export function hold(canvas, hooks) {
  let grasped = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { px: event.clientX - box.left, py: event.clientY - box.top };
  };
  const hit = (event) => closest(hooks.marks(), place(event), (reach[event.pointerType] ?? reach.mouse) * scale());
  // A finger on a sensor drags it; anywhere else it scrolls the page.
  canvas.addEventListener('touchstart', (event) => {
    const touch = event.touches[0];
    if (event.touches.length === 1 && hit({ clientX: touch.clientX, clientY: touch.clientY, pointerType: 'touch' })) event.preventDefault();
  }, { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || grasped) return;
    const mark = hit(event);
    if (!mark) return;
    const at = place(event);
    grasped = { mark, id: event.pointerId, from: at, off: { px: mark.px - at.px, py: mark.py - at.py }, moved: false };
    canvas.setPointerCapture(event.pointerId);
    hooks.pressed(mark, at);
    event.preventDefault();
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!grasped) {
      canvas.classList.toggle('over-mark', Boolean(hit(event)));
      return;
    }
    if (event.pointerId !== grasped.id) return;
    const at = place(event);
    if (!grasped.moved && Math.hypot(at.px - grasped.from.px, at.py - grasped.from.py) < 3) return;
    grasped.moved = true;
    hooks.moved(grasped.mark, { px: at.px + grasped.off.px, py: at.py + grasped.off.py }, event);
  });
  const end = (how) => (event) => {
    if (!grasped || event.pointerId !== grasped.id) return;
    const { mark, moved } = grasped;
    grasped = null;
    how(mark, moved);
  };
  canvas.addEventListener('pointerup', end((mark, moved) => hooks.released(mark, moved)));
  canvas.addEventListener('pointercancel', end((mark) => hooks.canceled(mark)));
  canvas.addEventListener('click', (event) => {
    if (!hit(event)) hooks.clicked(place(event), event);
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !grasped) return;
    const { mark } = grasped;
    grasped = null;
    hooks.canceled(mark);
  });
}

const scale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

// closest returns the mark nearest to a place, within a distance; null if there is none.
export function closest(marks, at, within) {
  let best = null, least = within;
  for (const mark of marks) {
    const d = Math.hypot(mark.px - at.px, mark.py - at.py);
    if (d <= least) {
      best = mark;
      least = d;
    }
  }
  return best;
}

const mostHandles = 400;

// Handles are what the keyboard holds: a button over each mark, one of which is a stop of the tabulator.
export class Handles {
  constructor(host, hooks) {
    this.host = document.createElement('div');
    this.host.className = 'handles';
    this.host.setAttribute('role', 'group');
    this.host.setAttribute('aria-label', 'Sensors. Arrow keys move one, Page Up and Page Down choose another, Delete switches it off.');
    host.append(this.host);
    this.hooks = hooks;
    this.host.addEventListener('keydown', (event) => this.key(event));
    this.host.addEventListener('focusin', (event) => {
      if (event.target.mark) hooks.chosen(event.target.mark);
    });
  }

  // set puts the handles over the marks; name(mark) says what each is.
  set(marks, name) {
    const shown = marks.slice(0, mostHandles);
    while (this.host.children.length > shown.length) this.host.lastChild.remove();
    while (this.host.children.length < shown.length) {
      const button = document.createElement('button');
      button.type = 'button';
      this.host.append(button);
    }
    const stop = Math.max(0, shown.findIndex((m) => m.state === 'selected'));
    shown.forEach((mark, i) => {
      const button = this.host.children[i];
      button.mark = mark;
      button.tabIndex = i === stop ? 0 : -1;
      button.dataset.sensor = mark.refs[0].ghost === undefined ? `${mark.refs[0].group}:${mark.refs[0].reading}` : `off:${mark.refs[0].ghost}`;
      button.style.transform = `translate(${mark.px}px, ${mark.py}px)`;
      const label = name(mark);
      if (button.getAttribute('aria-label') !== label) button.setAttribute('aria-label', label);
    });
  }

  focus(index) {
    const button = this.host.children[index];
    if (!button) return;
    for (const other of this.host.children) other.tabIndex = other === button ? 0 : -1;
    button.focus({ preventScroll: true });
  }

  key(event) {
    const button = event.target;
    if (!button.mark || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = [...this.host.children].indexOf(button), last = this.host.children.length - 1;
    const step = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowLeft: () => this.hooks.nudged(button.mark, -step, 0),
      ArrowRight: () => this.hooks.nudged(button.mark, step, 0),
      ArrowUp: () => this.hooks.nudged(button.mark, 0, -step),
      ArrowDown: () => this.hooks.nudged(button.mark, 0, step),
      PageDown: () => this.focus(index === last ? 0 : index + 1),
      PageUp: () => this.focus(index === 0 ? last : index - 1),
      Home: () => this.focus(0),
      End: () => this.focus(last),
      Delete: () => this.hooks.switched(button.mark),
      Backspace: () => this.hooks.switched(button.mark),
      Enter: () => this.hooks.asked(button.mark),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
