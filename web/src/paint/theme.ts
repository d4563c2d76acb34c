// The stage's colours, as the page has read them. The stage is dark in both schemes.

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

export function dress(read: Theme): void {
  theme = read;
}

export function colours(): Theme {
  if (!theme) throw new Error('no colours before the first canvas');
  return theme;
}
