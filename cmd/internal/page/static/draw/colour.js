// Colours of the figures, the same as the program's own.

const viridis = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];
const magma = [0x000004, 0x1d1147, 0x51127c, 0x822681, 0xb63679, 0xe65164, 0xfb8861, 0xfec287, 0xfcfdbf];
const cividis = [0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838];

const entries = 1024;

// table makes the colours of a map as bytes, red, green and blue by turns, interpolated linearly in sRGB.
function table(anchors) {
  const bytes = new Uint8ClampedArray(3 * entries);
  for (let k = 0; k < entries; k++) {
    const s = (k / (entries - 1)) * (anchors.length - 1);
    const i = Math.min(Math.floor(s), anchors.length - 2);
    for (let c = 0; c < 3; c++) {
      const shift = 16 - 8 * c;
      const a = (anchors[i] >> shift) & 255, b = (anchors[i + 1] >> shift) & 255;
      bytes[3 * k + c] = Math.round(a + (s - i) * (b - a));
    }
  }
  return bytes;
}

export const maps = { mean: table(viridis), sd: table(magma), gain: table(cividis) };

// entryAt is the index into a table of position t from 0 to 1; below 0 and for NaN the lowest colour, above 1 the highest.
export const entryAt = (t) => (t > 0 ? 3 * Math.min(entries - 1, Math.round(t * (entries - 1))) : 0);

// css returns the colour at position t of a table.
export function css(bytes, t) {
  const k = entryAt(t);
  return `rgb(${bytes[k]}, ${bytes[k + 1]}, ${bytes[k + 2]})`;
}

// themes are the colours of everything else. The light one is that of exported pictures, too.
export const themes = {
  light: {
    ground: '#ffffff', ink: '#222222', soft: '#6b6b6b', faint: '#999999', rule: '#d5d8dd',
    mean: '#1f4e9c', band: 'rgba(31, 78, 156, 0.22)', prior: '#6f6f6f', priorFill: 'rgba(119, 119, 119, 0.16)',
    alarm: '#b3261e', mark: '#ffffff', rim: '#222222', accent: '#c8321f',
  },
  dark: {
    ground: '#14171c', ink: '#e6e8ea', soft: '#a7adb5', faint: '#767d87', rule: '#3a404a',
    mean: '#86b0f5', band: 'rgba(134, 176, 245, 0.27)', prior: '#a0a0a0', priorFill: 'rgba(160, 160, 160, 0.18)',
    alarm: '#ff9a8c', mark: '#ffffff', rim: '#101216', rimmed: true, accent: '#ff8f7d',
  },
};
