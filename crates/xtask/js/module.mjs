// The modules that the page loads, one a scene, opened in Node.
import { readFile, readdir } from 'node:fs/promises';

const folder = new URL('../../../web/src/wasm/', import.meta.url);

/** The scenes that there are. */
export const scenes = async () => (await readdir(folder)).sort();

export async function open(scene) {
  const at = new URL(`${scene}/`, folder);
  const glue = await import(new URL(`${scene}.js`, at));
  glue.initSync({ module: await readFile(new URL(`${scene}_bg.wasm`, at)) });
  return glue;
}
