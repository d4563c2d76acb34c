// The words of Online that the page has before Online comes. No DOM, no state.

export const door = {
  places: 'Where it runs',
  place: [
    { id: 'page', label: 'In page' },
    { id: 'online', label: 'Online' },
  ],
  loading: 'Online is on its way.',
  missing: (reason: string) => `Online could not be loaded (${reason}). The server may have newer files than this page, or did not answer.`,
  stay: 'Stay in page',
  lock: 'Online, the clock is shared with the others in the room. Pause, step and scrub work ',
  lockIn: 'in page',
  lockOr: ', or on a recording.',
  room: 'Room',
  instruments: 'Instruments',
  waiting: 'Waiting for the relay',
  watchingYou: 'You are watching.',
  hint: 'Click to play.',
  hintTouch: 'Tap to play.',
};
