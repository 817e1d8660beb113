// A made-up MNIST of 8 x 8 pixels that a network can learn, as IDX files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeTinyMnist(folder, perClass = 20) {
  let state = 3;
  const draw = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const numbers = (...values) => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, k) => bytes.writeUInt32BE(value, 4 * k));
    return bytes;
  };
  const patterns = Array.from({ length: 10 }, () => Array.from({ length: 64 }, () => 200 * draw(2)));
  mkdirSync(folder, { recursive: true });
  for (const [prefix, count] of [['train', 10 * perClass], ['t10k', 100]]) {
    const labels = Buffer.from(Array.from({ length: count }, (_, k) => k % 10));
    const images = Buffer.from([...labels].flatMap((label) => patterns[label].map((pixel) => pixel + draw(50))));
    writeFileSync(join(folder, `${prefix}-images-idx3-ubyte`), Buffer.concat([numbers(0x803, count, 8, 8), images]));
    writeFileSync(join(folder, `${prefix}-labels-idx1-ubyte`), Buffer.concat([numbers(0x801, count), labels]));
  }
}
