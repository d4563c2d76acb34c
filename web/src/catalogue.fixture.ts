// A catalogue in small, for unit tests alone; the page's comes from the lab.

import type { Catalogue, Param } from './protocol.ts';

const range = (id: string, label: string, unit: string, min: number, max: number, step: number, init: number, more: Partial<Param> = {}): Param => ({
  id,
  label,
  unit,
  kind: 'range',
  min,
  max,
  step,
  default: init,
  group: id.split('.')[0]!,
  ...more,
});
const toggle = (id: string, label: string, more: Partial<Param> = {}): Param => ({ id, label, unit: '', kind: 'toggle', default: true, group: id.split('.')[0]!, ...more });

export const CATALOGUE: Catalogue = {
  version: 1,
  build: 'test',
  scenes: [
    { id: 'arena', label: 'Arena', buttons: ['fire', 'dash'], bounds: [0, 0, 40, 30] },
    { id: 'rink', label: 'Rink', buttons: [], bounds: [0, 0, 20, 10] },
  ],
  groups: ['link', 'server', 'predict', 'interp'].map((id) => ({ id, label: id })),
  params: [
    range('link.up.latency', 'Latency', 'ms', 0, 600, 1, 100, { pair: 'up' }),
    range('link.up.loss', 'Loss', '%', 0, 50, 1, 4, { pair: 'up' }),
    range('link.up.burst', 'Burst', 'packets', 1, 20, 1, 1, { pair: 'up', requires: { id: 'link.up.loss', above: 0 } }),
    range('link.up.reorder', 'Reorder', '%', 0, 50, 1, 0, { pair: 'up' }),
    range('link.down.latency', 'Latency', 'ms', 0, 600, 1, 100, { pair: 'down' }),
    range('link.down.loss', 'Loss', '%', 0, 50, 1, 4, { pair: 'down' }),
    range('link.down.burst', 'Burst', 'packets', 1, 20, 1, 1, { pair: 'down', requires: { id: 'link.down.loss', above: 0 } }),
    range('link.down.reorder', 'Reorder', '%', 0, 50, 1, 0, { pair: 'down' }),
    { id: 'link.carrier', label: 'Carrier', unit: '', kind: 'choice', default: 'datagram', group: 'link', choices: [{ id: 'websocket', label: 'WebSocket' }, { id: 'datagram', label: 'Datagrams' }] },
    {
      id: 'link.vary',
      label: 'Variation',
      unit: '',
      kind: 'choice',
      default: 'none',
      group: 'link',
      choices: [
        { id: 'none', label: 'None', shows: 'The same link at all times.' },
        { id: 'wave', label: 'Wave', shows: 'Up and down.' },
        { id: 'ramp', label: 'Ramp', shows: 'Up, and back at once.' },
        { id: 'trace', label: 'Trace', shows: 'What a link once did.', needs: 'a trace: load a CSV' },
      ],
    },
    range('link.vary.depth', 'Depth', 'ms', 0, 500, 5, 100, { requires: { id: 'link.vary', values: ['wave', 'ramp'] } }),
    range('server.tick', 'Tick rate', 'Hz', 10, 128, 1, 64, { restarts: true }),
    range('bots', 'Bots', '', 0, 30, 1, 8, { group: 'server', restarts: true }),
    range('clock.drift', 'Drift', '%', -5, 5, 0.5, 0, { group: 'clock' }),
    toggle('predict.on', 'Predict own moves'),
    toggle('predict.reconcile', 'Reconcile', { requires: { id: 'predict.on', values: [true] } }),
    toggle('predict.smooth', 'Smooth corrections', { requires: { id: 'predict.reconcile', values: [true] } }),
    toggle('interp.on', 'Interpolate others'),
    {
      id: 'interp.policy',
      label: 'Delay rule',
      unit: '',
      kind: 'choice',
      default: 'fixed',
      group: 'interp',
      choices: [
        { id: 'fixed', label: 'Fixed' },
        { id: 'measured', label: 'Measured' },
        { id: 'target', label: 'Target' },
      ],
      requires: { id: 'interp.on', values: [true] },
    },
    range('interp.delay', 'Delay', 'ms', 0, 600, 5, 160, { requires: { id: 'interp.policy', values: ['fixed'] } }),
    range('interp.target', 'Starved at most', '%', 0.1, 10, 0.1, 0.5, { requires: { id: 'interp.policy', values: ['target'] } }),
  ],
  presets: [
    { id: 'lan', label: 'LAN', group: 'link', set: { 'link.up.latency': 1, 'link.down.latency': 1, 'link.up.loss': 0, 'link.down.loss': 0 } },
    { id: '4g', label: '4G', group: 'link', set: { 'link.up.latency': 100, 'link.down.latency': 100, 'link.up.loss': 4, 'link.down.loss': 4 } },
  ],
  probes: [{ id: 'own.error', label: 'Own error', unit: 'm' }],
};
