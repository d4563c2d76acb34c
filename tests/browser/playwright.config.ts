import { defineConfig } from '@playwright/test';

/**
 * The page in a real Chromium. BASE_URL is the address of a page that is already served (`npm test` serves the relay's); without it the
 * built page in web/dist is served here, at a port that the system gives. CHROMIUM is the browser's path.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  globalSetup: './serve.ts',
  outputDir: '../../test-results',
  // Some tests read the page's clock against the display's: two pages at once would disturb each other.
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env['CI']),
  timeout: 60_000,
  // Wall clock, a real browser and a machine that others use: what fails twice is a fault, what fails once is named as flaky.
  retries: 1,
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      // As root there is no sandbox to be had; frames must come without a display.
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
    },
  },
});
