// Grids of numbers, as the engine sends them: base64 of little-endian float32, row by row, the last axis fastest, NaN
// outside of the domain. A map reads them as columns along its horizontal axis.

// decode returns the numbers of a grid.
export function decode(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const out = new Float32Array(bytes.length >> 2);
  for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(4 * i, true);
  return out;
}

// bits returns n numbers 0 or 1 from the base64 of bits, the lowest bit of a byte first.
export function bits(base64, n) {
  const text = atob(base64);
  return Float32Array.from({ length: n }, (_, k) => (text.charCodeAt(k >> 3) >> (k & 7)) & 1);
}

// range returns the smallest and the largest number that is one.
export function range(values) {
  let lo = Infinity, hi = -Infinity;
  for (const v of values) {
    if (v < lo) lo = v;
    if (v > hi) hi = v;
  }
  return [lo, hi];
}

// filled continues a grid of columns × rows into the nodes that have no number, so that colours reach the edge of the
// domain. Each new ring of nodes gets the mean of its neighbours; rings beyond the fourth are never seen.
export function filled(values, columns, rows, rings = 4) {
  let out = values;
  for (let ring = 0; ring < rings; ring++) {
    let missing = false;
    const next = new Float32Array(out);
    for (let i = 0; i < columns; i++) {
      for (let j = 0; j < rows; j++) {
        const k = i * rows + j;
        if (out[k] === out[k]) continue;
        missing = true;
        let sum = 0, n = 0;
        for (let di = -1; di <= 1; di++) {
          for (let dj = -1; dj <= 1; dj++) {
            const a = i + di, b = j + dj;
            if (a < 0 || b < 0 || a >= columns || b >= rows) continue;
            const v = out[a * rows + b];
            if (v === v) { sum += v; n++; }
          }
        }
        if (n > 0) next[k] = sum / n;
      }
    }
    out = next;
    if (!missing) break;
  }
  return out;
}

// upsampled interpolates a grid of columns × rows at width × height pixels, whose corners are its corners, by cubic
// convolution. The result goes row by row from the top, as pictures do.
export function upsampled(values, columns, rows, width, height) {
  const h = weights(columns, width), v = weights(rows, height);
  const across = new Float32Array(width * rows);
  for (let x = 0; x < width; x++) {
    const [a, b, c, d] = h.nodes(x), w = h.of(x);
    for (let j = 0; j < rows; j++) {
      across[x * rows + j] = w[0] * values[a * rows + j] + w[1] * values[b * rows + j] + w[2] * values[c * rows + j] + w[3] * values[d * rows + j];
    }
  }
  const out = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [a, b, c, d] = v.nodes(height - 1 - y), w = v.of(height - 1 - y);
    for (let x = 0; x < width; x++) {
      const k = x * rows;
      out[y * width + x] = w[0] * across[k + a] + w[1] * across[k + b] + w[2] * across[k + c] + w[3] * across[k + d];
    }
  }
  return out;
}

// weights of the four nodes around each of n pixels (Keys, a = -1/2).
function weights(nodes, n) {
  const index = new Int32Array(n), w = new Float32Array(4 * n);
  for (let p = 0; p < n; p++) {
    const s = n > 1 ? (p / (n - 1)) * (nodes - 1) : 0;
    const i = Math.min(Math.max(Math.floor(s), 0), Math.max(nodes - 2, 0));
    const t = s - i;
    index[p] = i;
    w[4 * p] = ((-0.5 * t + 1) * t - 0.5) * t;
    w[4 * p + 1] = (1.5 * t - 2.5) * t * t + 1;
    w[4 * p + 2] = ((-1.5 * t + 2) * t + 0.5) * t;
    w[4 * p + 3] = (0.5 * t - 0.5) * t * t;
  }
  const last = nodes - 1;
  return {
    nodes: (p) => [Math.max(index[p] - 1, 0), index[p], Math.min(index[p] + 1, last), Math.min(index[p] + 2, last)],
    of: (p) => w.subarray(4 * p, 4 * p + 4),
  };
}

// softened is how far inside of the domain each node is, from 0 to 1 and about one half on the edge: whether there is a
// number, averaged over the neighbours. Its contour at one half is the edge without the steps of the grid.
export function softened(inside, columns, rows) {
  const out = new Float32Array(columns * rows);
  const kernel = [1, 2, 1];
  for (let i = 0; i < columns; i++) {
    for (let j = 0; j < rows; j++) {
      let sum = 0;
      for (let di = -1; di <= 1; di++) {
        for (let dj = -1; dj <= 1; dj++) {
          const a = Math.min(Math.max(i + di, 0), columns - 1), b = Math.min(Math.max(j + dj, 0), rows - 1);
          sum += kernel[di + 1] * kernel[dj + 1] * inside[a * rows + b];
        }
      }
      out[i * rows + j] = sum / 16;
    }
  }
  return out;
}

// contours returns the closed lines at one half of a grid of columns × rows, each a flat list of x and y from 0 to 1, y
// upward. Beyond the box everything counts as outside, so that lines close along its edge. What is inside is to their left.
export function contours(values, columns, rows) {
  const w = columns + 2, h = rows + 2;
  const at = (i, j) => (i < 1 || j < 1 || i > columns || j > rows ? 0 : values[(i - 1) * rows + j - 1]);
  const place = (k, n) => Math.min(Math.max(k - 1, 0), n - 1) / (n - 1);
  // An edge between neighbouring nodes has the number 2 (i h + j), and one more if it goes upward.
  const next = new Map();
  for (let i = 0; i + 1 < w; i++) {
    for (let j = 0; j + 1 < h; j++) {
      const kind = (at(i, j) > 0.5 ? 1 : 0) | (at(i + 1, j) > 0.5 ? 2 : 0) | (at(i + 1, j + 1) > 0.5 ? 4 : 0) | (at(i, j + 1) > 0.5 ? 8 : 0);
      if (kind === 0 || kind === 15) continue;
      const edges = [2 * (i * h + j), 2 * ((i + 1) * h + j) + 1, 2 * (i * h + j + 1), 2 * (i * h + j) + 1]; // below, right, above, left
      for (const [from, to] of turns[kind]) next.set(edges[from], edges[to]);
    }
  }
  const crossing = (edge) => {
    const node = edge >> 1, i = Math.floor(node / h), j = node % h, up = edge & 1;
    const a = at(i, j), b = up ? at(i, j + 1) : at(i + 1, j), t = (0.5 - a) / (b - a);
    const x = place(i, columns), y = place(j, rows);
    return up ? [x, y + t * (place(j + 1, rows) - y)] : [x + t * (place(i + 1, columns) - x), y];
  };
  const lines = [];
  for (const start of next.keys()) {
    const line = [];
    for (let edge = start; next.has(edge);) {
      line.push(...crossing(edge));
      const to = next.get(edge);
      next.delete(edge);
      edge = to;
    }
    if (line.length > 4) lines.push(line);
  }
  return lines;
}

// turns are how lines go through a cell, from one of its edges to another, by which of its corners are inside: 1 lower left,
// 2 lower right, 4 upper right, 8 upper left.
const turns = [
  [], [[0, 3]], [[1, 0]], [[1, 3]], [[2, 1]], [[0, 3], [2, 1]], [[2, 0]], [[2, 3]],
  [[3, 2]], [[0, 2]], [[1, 0], [3, 2]], [[1, 2]], [[3, 1]], [[0, 1]], [[3, 0]], [],
];

// nearest returns the value of the node nearest to the shares s and t of width and height that has a number, within two
// nodes; NaN if there is none.
export function nearest(values, columns, rows, s, t) {
  const i = Math.round(s * (columns - 1)), j = Math.round(t * (rows - 1));
  let best = NaN, distance = Infinity;
  for (let a = Math.max(0, i - 2); a <= Math.min(columns - 1, i + 2); a++) {
    for (let b = Math.max(0, j - 2); b <= Math.min(rows - 1, j + 2); b++) {
      const v = values[a * rows + b], d = (a - i) ** 2 + (b - j) ** 2;
      if (v === v && d < distance) { best = v; distance = d; }
    }
  }
  return best;
}

// near tells whether a node of an outline that is inside is within a number of nodes of the shares s and t.
export function near(inside, columns, rows, s, t, nodes) {
  const i = Math.round(s * (columns - 1)), j = Math.round(t * (rows - 1));
  for (let a = Math.max(0, i - nodes); a <= Math.min(columns - 1, i + nodes); a++) {
    for (let b = Math.max(0, j - nodes); b <= Math.min(rows - 1, j + nodes); b++) {
      if (inside[a * rows + b]) return true;
    }
  }
  return false;
}
