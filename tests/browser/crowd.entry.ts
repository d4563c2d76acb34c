// What the crowd's test brings into an empty page.

export { Crowd } from '../../web/src/paint/crowd/crowd.ts';
