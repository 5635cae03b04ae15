// The text of the problem and its tables: lines with numbers, and what is wrong at its line as one types.

const wait = 350; // milliseconds after the last key

export class Editor {
  // typed(name, text) is called when somebody has typed, after a pause.
  constructor(root, typed) {
    Object.assign(this, { root, typed });
    this.text = root.querySelector('textarea');
    this.gutter = root.querySelector('.gutter');
    this.bar = root.querySelector('.wrong-line');
    this.message = root.querySelector('.wrong');
    this.tabs = root.querySelector('.files');
    this.name = '';
    this.files = {};
    this.text.addEventListener('input', () => this.typing());
    this.text.addEventListener('scroll', () => this.scroll());
    this.text.addEventListener('keydown', (event) => this.tab(event));
    this.tabs.addEventListener('click', (event) => {
      const { name } = event.target.closest('button')?.dataset ?? {};
      if (name) this.turn(name);
    });
  }

  // set shows files. What is being typed is not taken away: the text that has the focus stays as it is, unless it is
  // forced, as by undoing.
  set(files, main, { force = false } = {}) {
    this.files = files;
    this.main = main;
    if (!(this.name in files)) this.name = main;
    const names = [main, ...Object.keys(files).filter((n) => n !== main).sort()];
    if (this.tabs.dataset.names !== names.join('\n')) {
      this.tabs.dataset.names = names.join('\n');
      this.tabs.replaceChildren(...names.map((name) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.dataset.name = name;
        button.textContent = name;
        return button;
      }));
    }
    this.mark();
    const mine = this.waiting || (document.activeElement === this.text && !force);
    if (!mine || force) this.fill();
  }

  fill() {
    const text = this.files[this.name] ?? '';
    if (this.text.value !== text) {
      this.text.value = text;
      this.number();
    }
  }

  turn(name) {
    this.flush();
    this.name = name;
    this.mark();
    this.fill();
    this.fault(this.wrong);
    this.text.scrollTop = 0;
    this.scroll();
  }

  mark() {
    for (const button of this.tabs.children) button.setAttribute('aria-pressed', String(button.dataset.name === this.name));
    this.text.setAttribute('aria-label', `Text of ${this.name}`);
  }

  typing() {
    this.number();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.flush(), wait);
  }

  // flush tells at once what has been typed.
  flush() {
    if (!this.waiting) return;
    clearTimeout(this.waiting);
    this.waiting = null;
    this.typed(this.name, this.text.value);
  }

  // A tabulator indents while Escape has not been pressed before: then it leaves the text, for those without a mouse.
  tab(event) {
    if (event.key === 'Escape') {
      this.leaving = true;
    } else if (event.key === 'Tab' && !event.shiftKey && !this.leaving) {
      event.preventDefault();
      this.text.setRangeText('  ', this.text.selectionStart, this.text.selectionEnd, 'end');
      this.typing();
    } else if (!['Tab', 'Shift'].includes(event.key)) {
      this.leaving = false;
    }
  }

  number() {
    const lines = this.text.value.split('\n').length;
    if (lines === this.lines) return;
    this.lines = lines;
    this.gutter.textContent = Array.from({ length: Math.min(lines, 20000) }, (_, i) => i + 1).join('\n');
  }

  // fault marks the line of a Fault, in the file that it is in, and lets the message stand there. null takes it away.
  fault(fault) {
    this.wrong = fault;
    const file = fault?.file ? Object.keys(this.files).find((n) => n === fault.file || fault.file.endsWith(`/${n}`)) ?? this.main : this.main;
    const here = Boolean(fault) && file === this.name;
    for (const button of this.tabs.children) button.classList.toggle('faulty', Boolean(fault) && button.dataset.name === file);
    const line = here ? fault.line ?? 0 : 0;
    this.bar.hidden = line < 1;
    this.message.hidden = !fault;
    this.message.textContent = !fault ? '' : here ? (line ? `Line ${line}: ` : '') + fault.message : `${file}${fault.line ? `, line ${fault.line}` : ''}: ${fault.message}`;
    this.text.setAttribute('aria-invalid', String(here));
    this.line = line;
    this.scroll();
  }

  // reveal scrolls to the marked line.
  reveal() {
    if (!this.line) return;
    this.text.scrollTop = (this.line - 1) * this.pitch() - this.text.clientHeight / 3;
    this.scroll();
  }

  pitch() { return parseFloat(getComputedStyle(this.text).lineHeight); }

  scroll() {
    this.gutter.scrollTop = this.text.scrollTop;
    const pitch = this.pitch(), padding = parseFloat(getComputedStyle(this.text).paddingTop);
    const top = padding + ((this.line || 1) - 1) * pitch - this.text.scrollTop;
    this.bar.style.transform = `translateY(${top}px)`;
    const room = this.text.clientHeight, tall = this.message.offsetHeight;
    // Below its line, or above it where there is no room; at the bottom if it has no line here.
    const below = top + pitch + 2 + tall <= room ? top + pitch + 2 : top - tall - 2;
    this.message.style.transform = `translateY(${this.line ? Math.min(Math.max(below, 0), Math.max(0, room - tall)) : Math.max(0, room - tall - 4)}px)`;
  }
}
