// One small picture per role. The same shape and hue means the same thing in stage, lane, tape, feed and keys.

import { h, s } from './dom.ts';

type Shape = [tag: string, props: Record<string, string | number>];
const path = (d: string, stroke: string, width = 1.6, more: Record<string, string | number> = {}): Shape => [
  'path',
  { d, fill: 'none', stroke: `var(${stroke})`, 'stroke-width': width, ...more },
];
const ring = (r: number, stroke: string, width = 1.5): Shape => [
  'circle',
  { cx: 7, cy: 7, r, fill: 'none', stroke: `var(${stroke})`, 'stroke-width': width },
];
const cross = path('M3 3l8 8M11 3l-8 8', '--c-lost', 2);

const GLYPHS = {
  you: [['circle', { cx: 7, cy: 7, r: 4.6, fill: 'var(--c-you)' }], path('M7 7h7', '--c-you', 2)],
  other: [['rect', { x: 2.5, y: 2.5, width: 9, height: 9, fill: 'var(--c-other)' }]],
  bot: [['path', { d: 'M2 12L7 2l5 10z', fill: 'var(--c-other)' }]],
  truth: [ring(5, '--c-truth', 1.6)],
  unconfirmed: [
    ['rect', { x: 1.5, y: 3.5, width: 11, height: 7, rx: 3.5, fill: 'none', stroke: 'var(--c-you)' }],
    path('M3 10l4-6M6.5 10l4-6M10 10l2.5-4', '--c-you', 1.4),
  ],
  samples: [
    ['circle', { cx: 3, cy: 10, r: 1.8, fill: 'none', stroke: 'var(--c-other)', 'stroke-width': 1.3 }],
    ['circle', { cx: 11, cy: 4, r: 1.8, fill: 'none', stroke: 'var(--c-other)', 'stroke-width': 1.3 }],
    path('M4.5 9l5-4', '--c-other', 1.3),
  ],
  lag: [path('M1 11h3M10 3h3M3.5 11L10.5 3', '--c-truth', 1.2)],
  rewound: [
    ['rect', { x: 2, y: 2, width: 10, height: 10, fill: 'none', stroke: 'var(--c-rewind)', 'stroke-width': 1.7, 'stroke-dasharray': '3 2' }],
  ],
  hit: [path('M2 7.5l3.5 3.5L12.5 3', '--c-hit', 2.2)],
  miss: [cross],
  crowd: [path('M4 4l3 3-3 3-3-3z M10 4l3 3-3 3-3-3z', '--c-other', 1.4)],
  hears: [['circle', { cx: 7, cy: 7, r: 5.4, fill: 'none', stroke: 'var(--ink-2)', 'stroke-width': 1.4, 'stroke-dasharray': '2 2' }]],
  granted: [ring(5.6, '--c-hit'), ring(2.6, '--c-hit')],
  denied: [ring(5.6, '--c-lost'), path('M5 5l4 4M9 5l-4 4', '--c-lost', 1.5)],
  hurt: [path('M2 7.5l3.5 3.5L12.5 3', '--c-lost', 2.2)],
  behind: [path('M1 7.5l3 3L9.5 3', '--c-lost', 2), path('M12 1v12', '--c-truth', 1.6)],
  lost: [cross],
  late: [['rect', { x: 5, y: 1.5, width: 4, height: 11, fill: 'none', stroke: 'var(--c-warn)', 'stroke-width': 1.4 }]],
  snapshot: [['rect', { x: 5, y: 1.5, width: 4, height: 11, fill: 'var(--c-truth)' }]],
  doubled: [path('M2 2l5 5-5 5M7 2l5 5-5 5', '--c-truth', 1.8)],
  input: [path('M4 2l5 5-5 5', '--c-you', 2)],
  correction: [path('M2 4h10L7 11z', '--c-you')],
  starved: [path('M7 2l6 10H1z', '--c-warn')],
  fork: [path('M3 13V7.5L10.5 2M3 7.5V1', '--ink-2', 1.6)],
  note: [['circle', { cx: 7, cy: 7, r: 2.4, fill: 'var(--ink-3)' }]],
  disc: [['circle', { cx: 7, cy: 7, r: 5, fill: 'var(--ink)' }]],
} satisfies Record<string, Shape[]>;

export type Glyph = keyof typeof GLYPHS;

/** The glyph as an inline picture; words beside it carry the meaning. */
export function glyph(name: Glyph): SVGElement {
  const shapes: readonly Shape[] = GLYPHS[name] as Shape[];
  return s('svg', { class: 'g', viewBox: '0 0 14 14', 'aria-hidden': 'true' }, ...shapes.map(([tag, props]) => s(tag, props)));
}

const SVG = 'http://www.w3.org/2000/svg';
const sources = new Map<Glyph, string>();

/**
 * The same as an image, for what comes and goes while time runs: a browser sorts the layers of the whole page anew for each drawing of
 * SVG in it that is new, and for no image. It follows the scheme of where it stands.
 */
export function image(name: Glyph): HTMLImageElement {
  let src = sources.get(name);
  if (!src) {
    const tokens = getComputedStyle(document.documentElement);
    const drawn = glyph(name);
    drawn.setAttribute('xmlns', SVG);
    drawn.setAttribute('style', 'color-scheme: light dark');
    const svg = drawn.outerHTML.replace(/var\((--[\w-]+)\)/g, (_, token: string) => tokens.getPropertyValue(token).trim());
    sources.set(name, (src = `data:image/svg+xml,${encodeURIComponent(svg)}`));
  }
  return h('img', { class: 'g', src, alt: '', width: 14, height: 14 });
}

/** A line sample for a plot's key: colour by token, dashed by pattern. */
export function lineKey(token: string, dash?: string): SVGElement {
  return s('svg', { viewBox: '0 0 16 10', 'aria-hidden': 'true' }, s('path', { d: 'M0 5h16', stroke: `var(${token})`, 'stroke-width': 2, 'stroke-dasharray': dash ?? 'none' }));
}

/** A filled or hatched block for a plot's key. */
export function blockKey(token: string, hatched: boolean): SVGElement {
  const colour = `var(${token})`;
  return s(
    'svg',
    { viewBox: '0 0 16 10', 'aria-hidden': 'true' },
    hatched
      ? s('g', { stroke: colour, fill: 'none' }, s('rect', { x: 0.5, y: 0.5, width: 15, height: 9 }), s('path', { d: 'M1 9l5-8M6 9l5-8M11 9l4-7' }))
      : s('rect', { width: 16, height: 10, fill: colour }),
  );
}
