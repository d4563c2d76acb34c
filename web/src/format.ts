// Numbers as the page writes them.

const MINUS = '\u2212';
export const NONE = '\u2013';

/** A number with so many decimals and a true minus sign; a dash where there is none; never "−0". */
export function num(v: number | null | undefined, decimals = 0): string {
  if (v === null || v === undefined || !Number.isFinite(v)) return NONE;
  const text = Math.abs(v).toFixed(decimals);
  return v < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** The same, with a plus sign where it is above zero. */
export function signed(v: number | null | undefined, decimals = 0): string {
  const text = num(v, decimals);
  return v !== null && v !== undefined && Number(v.toFixed(decimals)) > 0 ? `+${text}` : text;
}

/** About three significant digits, by the size of the number: 0.012, 0.34, 5.6, 78, 910. */
export function figure(v: number | null | undefined): string {
  if (v === null || v === undefined || !Number.isFinite(v)) return NONE;
  const a = Math.abs(v);
  if (a === 0) return '0';
  if (a < 0.0005) return '<0.001';
  return num(v, a >= 99.5 ? 0 : a >= 9.95 ? 1 : a >= 0.995 ? 2 : 3);
}

/** Decimals that a step of this size needs: 1 → 0, 0.5 → 1, 0.25 → 2. */
export function decimalsOf(step: number): number {
  const text = String(step);
  const dot = text.indexOf('.');
  return dot < 0 ? 0 : text.length - dot - 1;
}

/** Minutes, seconds and milliseconds: 00:34.000; with hours from one hour on. */
export function clock(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const pad = (v: number, n: number) => String(v).padStart(n, '0');
  const s = Math.floor(whole / 1000);
  const hours = Math.floor(s / 3600);
  const tail = `${pad(Math.floor(s / 60) % 60, 2)}:${pad(s % 60, 2)}.${pad(whole % 1000, 3)}`;
  return hours ? `${hours}:${tail}` : tail;
}
