import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';

/** Serves web/dist where nobody else serves the page. */
export default async function serve(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['BASE_URL']) return undefined;
  const root = fileURLToPath(new URL('../../web', import.meta.url));
  if (!existsSync(`${root}/dist/index.html`)) throw new Error('web/dist is not built: run `npx vite build web` first');
  const server = await preview({ root, configFile: `${root}/vite.config.ts`, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } });
  const { port } = server.httpServer.address() as AddressInfo;
  process.env['BASE_URL'] = `http://127.0.0.1:${port}`;
  return () => server.close();
}
