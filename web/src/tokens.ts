// The stage's colours, read from style/tokens.css for those who draw.

import type { Theme } from './paint/theme.ts';

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const family = token('--font');
  return {
    you: token('--oi-sky'),
    other: token('--oi-orange'),
    truth: token('--oi-truth'),
    warn: token('--oi-yellow'),
    lost: token('--oi-red'),
    hit: token('--oi-green'),
    rewind: token('--oi-purple'),
    mute: token('--oi-mute'),
    bg: token('--stage'),
    bg2: token('--stage-2'),
    grat: token('--grat'),
    wall: token('--wall'),
    wallLine: token('--wall-line'),
    axis: token('--axis'),
    ink: token('--stage-ink'),
    ink2: token('--stage-ink-2'),
    // Never below 11 px, canvas included.
    font: `11px ${family}`,
    bold: `600 11px ${family}`,
  };
}
