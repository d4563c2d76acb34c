// What the page says to whoever draws, and hears back. Everything that a picture needs comes in these: who draws asks nothing of the page.

import type { Bounds } from '../camera.ts';
import type { Stick } from '../input/touch.ts';
import type { PacketName } from '../lane/marks.ts';
import type { PlotId, Setting } from '../plots/plot.ts';
import type { LabEvent } from '../protocol.ts';
import type { Canvas, Size } from './canvas.ts';
import type { Span } from './lane.ts';
import type { Overlays } from './stage/frame.ts';
import type { Theme } from './theme.ts';

export type PaneName = 'you' | 'server' | 'other';
export type CanvasName = PaneName | 'lane' | 'tape' | 'net' | PlotId;

/** How a picture is looked at: what of it is no part of the view. */
export interface Light {
  bounds: Bounds;
  shown: Overlays;
  stick: Stick | undefined;
  setting: Setting;
  /** One way of the link between you and the server, as it is set. */
  span: Span | undefined;
  /** The packet that has a box around it. */
  chosen: PacketName | undefined;
}

/** To the painter. */
export type PaintAsk =
  /** First of all: the colours, for good. */
  | { p: 'theme'; theme: Theme }
  /** A canvas for good; it shows nothing before its size is said. */
  | { p: 'canvas'; name: CanvasName; canvas: Canvas }
  | { p: 'size'; name: CanvasName; size: Size }
  /** The ground and a sentence, in every pane and beside empty plots, or in yours alone. */
  | { p: 'idle'; alone: boolean; sentence: string }
  /** What happened, for the tape. */
  | { p: 'events'; events: Pick<LabEvent, 't_ms' | 'kind'>[] }
  /** Time began again. */
  | { p: 'forget' }
  /** A view to draw: `length` floats of `buffer`, which comes back. `at`: the page's clock, ms; while `playing`, plots and tape take turns. */
  | { p: 'view'; buffer: ArrayBuffer; length: number; light: Light; at: number; playing: boolean; net: boolean }
  /** Whether all that was asked for before is on the screen. */
  | { p: 'settle'; ticket: number };

/** From the painter. */
export type PaintTell = { p: 'drawn'; buffer: ArrayBuffer } | { p: 'settled'; ticket: number };
