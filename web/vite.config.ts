import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import packed from '../package.json' with { type: 'json' };
import { page } from './src/strings.ts';

/** index.html carries no sentence of its own: each `{{name}}` in it is filled from strings.ts. */
const fillStrings = {
  name: 'fill-strings',
  transformIndexHtml(html: string): string {
    return html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const text = page[name as keyof typeof page];
      if (text === undefined) throw new Error(`index.html asks for "${name}", which strings.ts does not have`);
      return text;
    });
  },
};

/** While developing, a relay that runs beside it answers: RELAY_URL, or the one of `npm start`. It lets in only pages of its own origin. */
function relay() {
  const target = process.env['RELAY_URL'] ?? 'http://localhost:8080';
  const to = { target, headers: { Origin: target } };
  return { '/api': to, '/ws': { ...to, ws: true } };
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative, so that the built page works under any path.
  base: './',
  plugins: [fillStrings],
  // The lab says the same of itself: two that differ are not of one build.
  define: { __BUILD__: JSON.stringify(packed.version) },
  worker: { format: 'es' },
  server: { proxy: relay() },
  build: {
    target: 'es2022',
    // The first versions with light-dark(): an older target would have it rewritten into twice the rules.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
