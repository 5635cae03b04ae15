// Checks of what a page asks of those who use it: text that can be read, controls that can be hit, no scrolling sideways.
// Returns what is wrong, in words.
(() => {
  const wrong = [];
  const describe = (e) => `<${e.tagName.toLowerCase()}${e.id ? ` id=${e.id}` : ''}${e.className && typeof e.className === 'string' ? ` class="${e.className}"` : ''}> "${(e.value || e.textContent || '').trim().slice(0, 30)}"`;
  const dialog = document.querySelector('dialog[open]');
  const visible = (e) => {
    if (dialog && !dialog.contains(e)) return false;
    if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    for (let p = e; p; p = p.parentElement) if (getComputedStyle(p).clipPath !== 'none') return false;
    const r = e.getBoundingClientRect();
    return r.width > 1 && r.height > 1;
  };

  const one = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      one.clearRect(0, 0, 1, 1);
      one.fillStyle = colour;
      one.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = one.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const ground = (e) => {
    const layers = [];
    for (let p = e; p; p = p.parentElement) {
      const c = rgba(getComputedStyle(p).backgroundColor);
      layers.push(c);
      if (c[3] === 1) break;
    }
    return layers.reverse().reduce((below, c) => over(c, below), [255, 255, 255, 1]);
  };
  const luminance = ([r, g, b]) => {
    const lin = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * lin(r) + 0.7152 * lin(g) + 0.0722 * lin(b);
  };
  const contrast = (a, b) => {
    const [lo, hi] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (hi + 0.05) / (lo + 0.05);
  };

  /* Contrast of text */
  const readable = (e) => {
    if (!visible(e) || e.closest('button:disabled, [inert]')) return;
    const style = getComputedStyle(e), below = ground(e);
    let colour = rgba(style.color);
    let opacity = 1;
    for (let p = e; p; p = p.parentElement) opacity *= Number(getComputedStyle(p).opacity);
    colour = over([colour[0], colour[1], colour[2], colour[3] * opacity], below);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const c = contrast(colour, below);
    if (c < (large ? 3 : 4.5)) wrong.push(`contrast ${c.toFixed(2)} of ${describe(e)}: ${style.color} on ${below.slice(0, 3).map(Math.round)}`);
    if (size < 11) wrong.push(`text of ${size.toFixed(1)} px: ${describe(e)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() && !seen.has(e) && !['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(e.tagName)) {
      seen.add(e);
      readable(e);
    }
  }
  for (const e of document.querySelectorAll('input:not([type="range"]):not([type="file"]), select, textarea')) readable(e);

  /* What can be hit */
  for (const e of document.querySelectorAll('button, select, input:not([type="file"]), textarea, summary, a[href]')) {
    if (!visible(e) || e.classList.contains('skip')) continue;
    const r = e.getBoundingClientRect();
    if (r.width < 23.9 || r.height < 23.9) wrong.push(`a control of ${r.width.toFixed(0)} × ${r.height.toFixed(0)} px: ${describe(e)}`);
    if (!e.closest('.scroll, .handles, .code') && (r.left < -0.5 || r.right > innerWidth + 0.5)) wrong.push(`a control beyond the edge: ${describe(e)}`);
  }

  /* Labels */
  for (const e of document.querySelectorAll('input, select, textarea')) {
    const named = e.labels?.length && [...e.labels].some((l) => l.textContent.trim());
    if (!named && !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby')) wrong.push(`no label: ${describe(e)}`);
  }
  for (const e of document.querySelectorAll('canvas')) {
    if (e.getAttribute('role') !== 'img' || !(e.getAttribute('aria-label') ?? '').trim()) wrong.push(`a picture without words: ${describe(e.parentElement)}`);
  }
  for (const e of document.querySelectorAll('img:not([alt])')) wrong.push(`no alt: ${describe(e)}`);
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids.filter((v, i) => ids.indexOf(v) !== i))) wrong.push(`two elements have the id ${id}`);
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls']) {
    for (const e of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of e.getAttribute(attribute).split(/\s+/)) if (!document.getElementById(id)) wrong.push(`${attribute}=${id} is nobody's: ${describe(e)}`);
    }
  }
  if (document.documentElement.lang !== 'en') wrong.push('the page has no language');
  if (document.querySelectorAll('h1').length !== 1) wrong.push('there is not one h1');
  if (document.scrollingElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.scrollingElement.scrollWidth} px wide, the window ${innerWidth}`);
  return wrong;
})()
