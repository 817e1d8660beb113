// Debian's chromium, driven by playwright-core. Where either is missing, the test says so and counts as skipped (exit
// code 77).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

// No test waits for time to pass, all wait for what they need. This ends a wait for what never comes: a page takes
// seconds on a quiet machine, so that one a hundred times as slow still gets through.
const kHang = 600_000;

function skip(reason, remedy) {
  console.log(`not checked: the report's page in a browser, because ${reason}; to check: ${remedy}`);
  process.exit(77);
}

// `modules` is the folder that the build installs npm packages into.
export async function openBrowser(modules) {
  const executablePath = process.env.GPSCL_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) skip(`there is no ${executablePath}`, 'scripts/setup test, or GPSCL_CHROMIUM=PROGRAM');
  if (!existsSync(join(modules, 'installed')))
    skip('this build has no page of the report', 'build it where npm reaches its registry, after scripts/setup');
  const { chromium } = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
  return chromium.launch({ executablePath, timeout: kHang, args: ['--no-sandbox', '--disable-gpu'] });
}

// A page of its own, with a viewport of width x height.
export async function openPage(browser, width, height, options = {}) {
  const page = await browser.newPage({ viewport: { width, height }, ...options });
  page.setDefaultTimeout(kHang);
  return page;
}

// Until the page has read its data, and all charts that are shown are drawn for the width that they have.
export async function settle(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
  await page.waitForFunction(() => [...document.querySelectorAll('.plot')]
    .filter((plot) => plot.closest('[hidden]') === null)
    .every((plot) => plot.dataset.drawn === String(Math.floor(plot.getBoundingClientRect().width))));
}
