// Room codes: six letters, none of them a vowel and none like another, shown as BCD-FGH, read in any case, with or without the dash.

const LETTERS = 'BCDFGHJKMNPQRSTVWXZ';
const CODE = new RegExp(`^[${LETTERS}]{6}$`);

/** The code that somebody typed, or the one in a link that somebody pasted; undefined where there is none. */
export function readCode(typed: string): string | undefined {
  const raw = /[#&]room=([^&]*)/.exec(typed)?.[1] ?? typed;
  const code = raw.replace(/[\s-]/g, '').toUpperCase();
  return CODE.test(code) ? code : undefined;
}

export const showCode = (code: string): string => `${code.slice(0, 3)}-${code.slice(3)}`;

/** The link that brings a friend into a room. */
export const inviteLink = (address: string, code: string): string => `${address.replace(/#.*$/, '')}#v=1&room=${code}`;
