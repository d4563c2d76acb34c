// The painter: a worker that has the page's canvases, so that drawing costs the page nothing. Where a worker cannot draw, the page loads
// this same file into itself and speaks to it under the name below: a file for a worker exports nothing.

import type { PaintAsk, PaintTell } from './asks.ts';
import { Canvases } from './canvases.ts';

type Teller = (tell: PaintTell, transfer: Transferable[]) => void;

declare global {
  /** Set where this file was loaded into a page. */
  var afterimagePainter: ((ask: PaintAsk, tell: Teller) => void) | undefined;
}

interface Scope {
  postMessage: Teller;
  onmessage: ((event: MessageEvent<PaintAsk>) => void) | null;
}

const canvases = new Canvases();

function handle(ask: PaintAsk, tell: Teller): void {
  if (ask.p === 'settle') {
    // What is drawn is shown with the next frame; by the one after, it was.
    requestAnimationFrame(() => requestAnimationFrame(() => tell({ p: 'settled', ticket: ask.ticket }, [])));
    return;
  }
  canvases.handle(ask);
  if (ask.p === 'view') tell({ p: 'drawn', buffer: ask.buffer }, [ask.buffer]);
}

if (typeof document === 'object') globalThis.afterimagePainter = handle;
else {
  const scope = self as unknown as Scope;
  scope.onmessage = ({ data }) => handle(data, (tell, transfer) => scope.postMessage(tell, transfer));
}
