// The lab's wasm modules, one a scene. Each has its own code and its own memory, and all of them know of every scene.

export type Glue = typeof import('./wasm/arena/arena.js');
export type Bench = InstanceType<Glue['Bench']>;
export type Online = InstanceType<Glue['Online']>;

/** A module that is there. */
export interface Module extends Pick<Glue, 'Bench' | 'Online' | 'read_settings' | 'settings_file' | 'settings_rust'> {
  memory: WebAssembly.Memory;
}

/** The scene of a page that asks for none. */
export const FIRST = 'arena';

const FOUND = import.meta.glob<Glue>('./wasm/*/*.js');
const path = (scene: string) => `./wasm/${scene}/${scene}.js`;

/** Loads modules, each once: a worker that needs one anew is a new worker. */
export class Modules {
  private readonly asked = new Map<string, Promise<Module>>();

  constructor(private readonly found: Record<string, () => Promise<Glue>> = FOUND) {}

  /** The module of this scene, or of the first one where there is no such scene: its catalogue then says which there are. */
  load(scene: string): Promise<Module> {
    const name = path(scene) in this.found ? scene : FIRST;
    let asked = this.asked.get(name);
    if (!asked) {
      asked = this.fetch(name);
      this.asked.set(name, asked);
      // One that did not come may come the next time.
      asked.catch(() => this.asked.delete(name));
    }
    return asked;
  }

  private async fetch(scene: string): Promise<Module> {
    const load = this.found[path(scene)];
    if (!load) throw new Error(`no module ${scene}`);
    const glue = await load();
    const { memory } = await glue.default();
    const { Bench, Online, read_settings, settings_file, settings_rust } = glue;
    return { Bench, Online, read_settings, settings_file, settings_rust, memory };
  }
}
