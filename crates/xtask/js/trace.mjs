// The determinism trace of a scene's own module, in Node: `node trace.mjs SCENE TICKS`.
import { open } from './module.mjs';

const [scene, ticks] = process.argv.slice(2);
const { trace } = await open(scene);
process.stdout.write(trace(scene, Number(ticks)));
