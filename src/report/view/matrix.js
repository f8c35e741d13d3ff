// Vectors, and matrices by columns, in double precision.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const minus = (a, b) => add(a, scaled(b, -1));
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const sizeOf = (a) => Math.hypot(...a);
const unit = (a) => scaled(a, 1 / (sizeOf(a) || 1));

function product(a, b) {
  const out = new Array(16).fill(0);
  for (let column = 0; column < 4; ++column) {
    for (let row = 0; row < 4; ++row) {
      for (let k = 0; k < 4; ++k) {
        out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
      }
    }
  }
  return out;
}

/** Clip space of a position. */
function transformed(m, [x, y, z]) {
  return [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
}
