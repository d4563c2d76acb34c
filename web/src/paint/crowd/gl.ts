// The crowd on the graphics card: one call a picture, straight from the view buffer. Works in a worker and in the page.

import type { Camera } from '../../camera.ts';
import type { Theme } from '../theme.ts';
import type { Rows } from '../../view.ts';
import { FIRST, LOOKS, rgb } from './kinds.ts';

export type AnyCanvas = HTMLCanvasElement | OffscreenCanvas;

/** A picture's size: in CSS pixels, and in the screen's own. */
export interface Size {
  w: number;
  h: number;
  width: number;
  height: number;
}

const BYTES = 4;
/** Floats of a mark that the shader reads, in two fours. */
const READ = 8;

const VERTEX = `#version 300 es
layout(location = 0) in vec4 a; // kind, x, y, heading
layout(location = 1) in vec4 b; // size, second size, flags, key
uniform vec3 cam; // pixels a unit, and where the origin is
uniform vec2 size;
uniform int shows;
uniform vec4 looks[${LOOKS.length}]; // shape, least radius
uniform vec3 colours[${LOOKS.length}];
out vec2 p;
flat out float r;
flat out int shape;
flat out vec3 colour;
flat out int dead;
void main() {
  int kind = int(a.x) - ${FIRST};
  bool drawn = kind >= 0 && kind < ${LOOKS.length} && (shows >> kind & 1) == 1;
  vec4 look = looks[clamp(kind, 0, ${LOOKS.length - 1})];
  r = max(look.y, b.x * cam.x);
  shape = int(look.x);
  colour = colours[clamp(kind, 0, ${LOOKS.length - 1})];
  dead = int(b.z) & 1;
  p = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (r + 1.5);
  vec2 at = (a.yz * cam.x + cam.yz + p) / size * 2.0 - 1.0;
  // What is of another kind is outside of every picture.
  gl_Position = drawn ? vec4(at.x, -at.y, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec2 p;
flat in float r;
flat in int shape;
flat in vec3 colour;
flat in int dead;
uniform float pixel; // of the screen, in pixels of the page
uniform vec3 ground;
out vec4 o;
float edge(float d) { return clamp(0.5 - d / pixel, 0.0, 1.0); }
void main() {
  // How far outside of the outline.
  float d = shape == 0 ? (abs(p.x) + abs(p.y) - r) * 0.7071 : length(p) - r;
  float line = edge(abs(d) - 0.6);
  float dash = shape == 2 && fract(atan(p.y, p.x) / 6.2832 * max(6.0, floor(r * 0.9))) > 0.57 ? 0.0 : 1.0;
  vec4 drawn = dead == 1 || shape == 2 ? vec4(colour, line * dash * (dead == 1 ? 0.5 : 1.0))
    : shape == 3 ? vec4(mix(ground, colour, line), edge(d - 0.6))
    : vec4(colour, edge(d));
  o = vec4(drawn.rgb * drawn.a, drawn.a);
}`;

interface Ready {
  program: WebGLProgram;
  buffer: WebGLBuffer;
  at: Record<'cam' | 'size' | 'shows' | 'pixel', WebGLUniformLocation | null>;
}

export class CrowdGl {
  private ready: Ready | undefined;
  /** Bytes that the buffer holds. */
  private holds = 0;
  /** The browser took the context away; it gives it back by itself. */
  lost = false;

  private constructor(
    readonly canvas: AnyCanvas,
    private readonly gl: WebGL2RenderingContext,
    private readonly colours: Theme,
  ) {
    this.set();
    const on = (name: string, then: (e: Event) => void) => (canvas as EventTarget).addEventListener(name, then);
    on('webglcontextlost', (e) => {
      e.preventDefault();
      this.lost = true;
    });
    on('webglcontextrestored', () => {
      this.lost = false;
      this.set();
    });
  }

  /**
   * On this canvas, which is its own; undefined where the browser cannot, or where it has no graphics card and would draw by `software`:
   * by measure that takes ten times as long as paths.
   */
  static on(canvas: AnyCanvas, colours: Theme, software = false): CrowdGl | undefined {
    const gl = canvas.getContext('webgl2', { alpha: true, antialias: false, depth: false, powerPreference: 'low-power', failIfMajorPerformanceCaveat: !software }) as WebGL2RenderingContext | null;
    if (!gl) return undefined;
    const crowd = new CrowdGl(canvas, gl, colours);
    return crowd.ready || crowd.lost ? crowd : undefined;
  }

  /** Draws all of these kinds into the canvas's upper left corner; false where it cannot now. */
  draw({ data, offset, count, stride }: Rows, cam: Camera, size: Size, shows: number): boolean {
    const { gl, ready, canvas } = this;
    if (this.lost || gl.isContextLost() || !ready || count === 0 || stride < READ) return false;
    // It only grows: panes of unlike sizes would else have it made anew three times a frame.
    if (canvas.width < size.width) canvas.width = size.width;
    if (canvas.height < size.height) canvas.height = size.height;
    gl.viewport(0, canvas.height - size.height, size.width, size.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.bindBuffer(gl.ARRAY_BUFFER, ready.buffer);
    const bytes = count * stride * BYTES;
    if (bytes > this.holds) {
      this.holds = 2 ** Math.ceil(Math.log2(bytes));
      gl.bufferData(gl.ARRAY_BUFFER, this.holds, gl.STREAM_DRAW);
    }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, data, offset, count * stride);
    for (const half of [0, 1]) {
      gl.enableVertexAttribArray(half);
      gl.vertexAttribPointer(half, READ / 2, gl.FLOAT, false, stride * BYTES, half * (READ / 2) * BYTES);
      gl.vertexAttribDivisor(half, 1);
    }
    gl.uniform3f(ready.at.cam, cam.scale, cam.x, cam.y);
    gl.uniform2f(ready.at.size, size.w, size.h);
    gl.uniform1i(ready.at.shows, shows);
    gl.uniform1f(ready.at.pixel, size.w / size.width);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    return true;
  }

  /** Shaders, buffer, and what stays the same. */
  private set(): void {
    const { gl, colours } = this;
    this.ready = undefined;
    this.holds = 0;
    const program = gl.createProgram();
    const buffer = gl.createBuffer();
    if (!program || !buffer) return;
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(type);
      if (!shader) return;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return;
    gl.useProgram(program);
    const at = (name: string) => gl.getUniformLocation(program, name);
    gl.uniform4fv(at('looks'), LOOKS.flatMap(({ shape, least }) => [shape, least, 0, 0]));
    gl.uniform3fv(at('colours'), LOOKS.flatMap((look) => rgb(look.colour(colours))));
    gl.uniform3fv(at('ground'), rgb(colours.bg));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.ready = { program, buffer, at: { cam: at('cam'), size: at('size'), shows: at('shows'), pixel: at('pixel') } };
  }
}
