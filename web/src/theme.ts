// The stage's colours, read once from style/tokens.css. The stage is dark in both schemes.

export interface Theme {
  you: string;
  other: string;
  truth: string;
  warn: string;
  lost: string;
  hit: string;
  rewind: string;
  mute: string;
  bg: string;
  bg2: string;
  grat: string;
  wall: string;
  wallLine: string;
  axis: string;
  ink: string;
  ink2: string;
  font: string;
  bold: string;
}

let theme: Theme | undefined;

export function colours(): Theme {
  if (theme) return theme;
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const family = token('--font');
  theme = {
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
  return theme;
}
