import { defineConfig } from '@playwright/test';
import tests from './playwright.config.ts';

/** Pictures of the page for people to look at: `npm run shots`. They judge nothing, so they are no tests. */
export default defineConfig({ ...tests, testMatch: 'shots.ts', retries: 0 });
