// Which keys do what. Bound by place on the keyboard (`code`), so that W A S D lie alike on every layout; shown by what is printed there.

/** Two keys at most for one action: one for each hand. */
export const SLOTS = 2;

export const ACTIONS = ['up', 'left', 'down', 'right', 'button0', 'button1'] as const;
export type Action = (typeof ACTIONS)[number];

/** Codes by action, at most `SLOTS` each; no code twice. */
export type Bindings = Readonly<Record<Action, readonly string[]>>;

export const DEFAULTS: Bindings = {
  up: ['KeyW', 'ArrowUp'],
  left: ['KeyA', 'ArrowLeft'],
  down: ['KeyS', 'ArrowDown'],
  right: ['KeyD', 'ArrowRight'],
  button0: ['KeyF', 'KeyJ'],
  button1: ['Shift', 'KeyK'],
};

/** Keys that are not ours to give: they leave the stage, move the focus, or belong to the browser. */
const KEPT = /^(Escape|Tab|Enter|NumpadEnter|ContextMenu|(Control|Meta|Alt|OS)(Left|Right)?|CapsLock|F\d+|Unidentified)?$/;

/** The code that an event's key goes by: the two Shift keys are one, since hands take either. */
export const codeOf = (code: string): string => code.replace(/^Shift(Left|Right)$/, 'Shift');

export const isFree = (code: string): boolean => !KEPT.test(code) && code.length <= 32;

/** What a code does. */
export function actionOf(bindings: Bindings, code: string): Action | undefined {
  return ACTIONS.find((action) => bindings[action].includes(code));
}

/** The axes of an action that moves. */
export const WAYS: Readonly<Partial<Record<Action, readonly [x: number, y: number]>>> = { up: [0, -1], left: [-1, 0], down: [0, 1], right: [1, 0] };

/** The button bit of an action that presses; 0 for one that moves. */
export const bitOf = (action: Action): number => (action.startsWith('button') ? 1 << Number(action.slice(6)) : 0);

export interface Change {
  bindings: Bindings;
  /** The action that had the key before, and has it no more. */
  from: Action | undefined;
}

/** Puts a key into a slot of an action. A key does one thing: what had it before loses it, and the answer names that. */
export function bind(bindings: Bindings, action: Action, slot: number, code: string): Change {
  const from = actionOf(bindings, code);
  const own = bindings[action].map((has, i) => (i === slot ? code : has));
  if (slot >= own.length) own.push(code);
  const next = Object.fromEntries(ACTIONS.map((each) => [each, bindings[each].filter((has) => has !== code)])) as Record<Action, string[]>;
  next[action] = own.filter((has, i) => has !== code || i === Math.min(slot, own.length - 1)).slice(0, SLOTS);
  return { bindings: next, from: from === action ? undefined : from };
}

/** Reads what was stored. Whatever is not a binding of ours is left out; an action that is not there keeps its default. */
export function read(stored: string | null): Bindings {
  let raw: unknown;
  try {
    raw = JSON.parse(stored ?? '');
  } catch {
    return DEFAULTS;
  }
  if (typeof raw !== 'object' || raw === null) return DEFAULTS;
  const out = { ...DEFAULTS } as Record<Action, readonly string[]>;
  const given = raw as Record<string, unknown>;
  const stands = ACTIONS.filter((action) => Array.isArray(given[action]));
  const used = new Set<string>();
  for (const action of stands) {
    const codes = (given[action] as unknown[]).filter((code): code is string => typeof code === 'string' && isFree(code) && !used.has(code));
    out[action] = [...new Set(codes)].slice(0, SLOTS);
    for (const code of out[action]) used.add(code);
  }
  for (const action of ACTIONS) if (!stands.includes(action)) out[action] = out[action].filter((code) => !used.has(code));
  return out;
}
