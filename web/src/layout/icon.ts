import { s } from '../dom.ts';

/** A sign of one path; the button around it has the words. */
export const icon = (viewBox: string, d: string, more: Record<string, string | number> = {}) => s('svg', { viewBox, 'aria-hidden': 'true' }, s('path', { d, ...more }));
