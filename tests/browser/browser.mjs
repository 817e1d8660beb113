// Debian's chromium, driven by playwright-core. Where either is missing, the test says so and counts as skipped (exit
// code 77).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

// `modules` is the folder that the build installs npm packages into.
export async function openBrowser(modules) {
  const executablePath = process.env.GPSCL_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) skip('chromium is not installed (scripts/setup test)');
  if (!existsSync(join(modules, 'installed'))) skip('this build has no page of the report: npm was not there');
  const { chromium } = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

// Until the page has read its data and drawn its charts.
export async function settle(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
  await page.waitForFunction(() => {
    const plots = [...document.querySelectorAll('.plot')].filter((plot) => plot.closest('[hidden]') === null);
    return plots.every((plot) => plot.dataset.drawn === 'true');
  }, null, { timeout: 60000 });
}
