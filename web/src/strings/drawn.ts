// The words that stand in pictures. Whoever draws carries these and no others.

import { num, signed } from '../format.ts';

export const drawn = {
  waitingSample: 'Waiting for the first snapshot',
  noSamples: 'no samples yet',
  inputs: 'inputs',
  snapshots: 'snapshots',
  lanePlaces: { you: 'You', server: 'Server', other: 'Other player', otherShort: 'Other' },
  range: (low: number, high: number) => (low === high ? `${num(low)} ms` : `${num(low)} to ${num(high)} ms`),
  tapeRows: { loss: 'loss', correct: 'correct', starved: 'starved', shots: 'hit, miss' },
  notInterpolated: 'others are not interpolated',
  ago: (seconds: number) => `\u2212${seconds} s`,
  now: 'now',
  lagometer: { starved: 'starved', percent: (v: number) => `${num(v, v < 9.95 ? 1 : 0)} %`, spare: 'spare', ageOn: 'age on', arrival: 'arrival' },
  age: { age: 'age', delay: 'delay', needs: 'needs' },
  depth: { target: 'target', bend: 'bend', percent: (v: number) => `${signed(v, 1)} %` },
  error: { own: 'you', others: 'others', naive: 'naive' },
  bandwidth: { cap: 'cap', layers: { inputs: 'inputs', headers: 'headers', own: 'you', others: 'others', events: 'events' } },
};
