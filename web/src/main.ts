// Starts the page.

import { Page } from './page.ts';

new Page();
