// What axe has against a page.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What axe finds: anything against WCAG 2.2 AA, and what else it holds for serious. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // There are no frames in the page, and what passes is not asked for: that is most of the time that it takes.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (rules ? axe.withRules(rules) : axe.withTags([...WCAG, 'best-practice'])).analyze();
  const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical' || v.tags.some((tag) => WCAG.includes(tag)));
  return bad.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`);
}
