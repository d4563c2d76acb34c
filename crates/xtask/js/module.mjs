// The module that the page loads, opened in Node.
import { readFile } from 'node:fs/promises';

const folder = new URL('../../../web/src/wasm/', import.meta.url);

export async function open() {
  const glue = await import(new URL('afterimage.js', folder));
  glue.initSync({ module: await readFile(new URL('afterimage_bg.wasm', folder)) });
  return glue;
}
