// The determinism trace of the page's own module, in Node: `node trace.mjs TICKS`.
import { open } from './module.mjs';

const { trace } = await open();
process.stdout.write(trace(Number(process.argv[2])));
