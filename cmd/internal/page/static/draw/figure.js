// A figure on the page: a canvas that is painted again when its data, its size or the theme change, and that can be saved.
import { Style } from './axes.js';
import { themes } from './colour.js';

const shown = new Set();

// theme is the one that the page has.
export const theme = () => themes[document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'];

// repaint paints every figure again.
export function repaint() {
  for (const figure of shown) figure.paint();
}

// sharpen paints every figure at once, with more pixels than the screen has, for paper.
export function sharpen() {
  for (const figure of shown) if (figure.data && figure.host.clientWidth > 0) figure.now(figure.host.clientWidth, Math.max(3, devicePixelRatio));
}

// em is the size of text on the page, in pixels.
const em = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

export class Figure {
  // Picture has height and paint. The canvas is for eyes; label says what it shows to everybody else.
  constructor(host, picture, label, most = () => Infinity) {
    Object.assign(this, { host, picture, most });
    this.canvas = document.createElement('canvas');
    this.canvas.width = this.canvas.height = 0; // not 300 by 150, before it is painted
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', label);
    host.append(this.canvas);
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(host);
    shown.add(this);
  }

  set label(text) { this.canvas.setAttribute('aria-label', text); }

  remove() {
    this.observer.disconnect();
    shown.delete(this);
    cancelAnimationFrame(this.frame);
    this.host.replaceChildren();
  }

  set(data) {
    this.data = data;
    this.paint();
  }

  // paint paints before the next frame, once.
  paint() {
    if (this.frame || !this.data) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const width = this.host.clientWidth;
      if (width > 0) this.now(width);
    });
  }

  now(width, ratio = devicePixelRatio || 1) {
    const style = new Style(theme(), em());
    const ctx = this.canvas.getContext('2d');
    const height = Math.round(this.picture.height(ctx, style, width, this.data, this.most()));
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    this.drawn = this.picture.paint(ctx, style, width, height, this.data, ratio);
    this.afterPaint?.(this.drawn);
  }

  // png returns the figure at twice its size, dark on white, as a Blob.
  async png() {
    const ratio = 2, pad = 12, canvas = document.createElement('canvas');
    const width = Math.max(this.host.clientWidth, 640);
    const style = new Style(themes.light, 16);
    const ctx = canvas.getContext('2d');
    const height = Math.round(this.picture.height(ctx, style, width, this.data, 0.9 * width));
    canvas.width = ratio * (width + 2 * pad);
    canvas.height = ratio * (height + 2 * pad);
    ctx.fillStyle = themes.light.ground;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.setTransform(ratio, 0, 0, ratio, ratio * pad, ratio * pad);
    this.picture.paint(ctx, style, width, height, this.data, ratio);
    this.paint(); // a picture may keep what it has made for one size
    return new Promise((done) => canvas.toBlob(done, 'image/png'));
  }
}
