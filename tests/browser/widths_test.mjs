// No chart is wider than its box, whatever its numbers and names: widths_test.mjs TEMPLATE MODULES. The reports are made
// up, so that nothing depends on how long a run takes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openBrowser, openPage, settle } from './browser.mjs';
import { cutOff } from './cut_off.mjs';
import { writeMadeUpReport } from './made_up_report.mjs';

const [template, modules] = process.argv.slice(2);

const short = ['er, reservoir', 'er, gps:permutation'];
const long = ['a learner with a long name, with a policy whose name is longer still and says gps:permutation',
  'another learner, under the same policy, whose name is as long as the name of the one before'];
const recipes = ['er, lr 0.1, 100 steps, memory batch 10, mixed:1', 'der++, lr 0.0316, alpha 0.25, beta 0.5, 31623 steps, memory batch 40, mixed:0.5 running, bits:1',
  'der, lr 1, alpha 2, 1 steps, memory batch 5, ring-full'];
const reports = {
  'the shortest runs': { times: [[0.001, 0.0005, 0.0002], [0.004, 0.001, 0.001]], names: short, tasks: 3, stored: 30, loss: 1e-6 },
  'runs of many digits': { times: [[123.456789, 9.87654321, 0.000123], [1234.5678, 0, 1.25]], names: short, tasks: 5, stored: 200, loss: 0.5 },
  'the longest runs beside the shortest': { times: [[1e6, 333333.333, 12345.678], [0.001, 0, 0]], names: short, tasks: 20, stored: 1e6, loss: 123456.789 },
  'hours, and long names': { times: [[9876.54321, 4567.89, 3], [11111.1, 0.25, 0.5], [98765.4321, 1, 1]], names: long, tasks: 3, stored: 5000, loss: 98.7654 },
  'perfect runs, and named classes': { times: [[1, 0.5, 0.25], [2, 1, 0.5]], names: short, tasks: 3, stored: 30, loss: 0.5,
    isPerfect: true, classes: ['ankle boot', 'bag', 'coat', 'dress', 'pullover', 'sandal', 'shirt', 'sneaker', 't-shirt', 'trouser'] },
  'planned runs': { times: [[1, 30, 0.25], [2, 20, 0.5], [3, 10, 1]], names: long, tasks: 3, stored: 30, loss: 0.5,
    plan: { choices: 1, names: recipes, tried: 40, stopped: 21 } },
  'a plan for each task, and long recipes': { times: [[1, 30, 0.25]], names: short, tasks: 5, stored: 30, loss: 0.5,
    plan: { choices: 5, names: [recipes.join(', or '), 'w'.repeat(300)], tried: 9, stopped: 0 } },
  'perfect plans': { times: [[1, 30, 0.25]], names: short, tasks: 2, stored: 30, loss: 0.5, isPerfect: true,
    plan: { choices: 1, names: recipes, tried: 1, stopped: 1 } },
  'many lines': { times: Array.from({ length: 14 }, (_, k) => [0.0017603 * 4.7 ** k, 0.00071 * 4.3 ** k, 0.0003]), names: long, tasks: 2, stored: 30, loss: 3 },
};
const widths = [470, 360, 280]; // a legend in two columns, a phone, one that is narrower still
const phone = [360];
// Names make legends, which change with the width; numbers are looked at on a phone.
const widthsOf = ({ names, plan }) => (names === long ? widths : plan ? [...widths, 1280] : phone);

const browser = await openBrowser(modules);
const folder = mkdtempSync(join(tmpdir(), 'gpscl-widths-'));
const found = [];
try {
  for (const [name, numbers] of Object.entries(reports)) {
    const report = join(folder, 'report.html');
    writeMadeUpReport(template, report, numbers);
    const page = await openPage(browser, widthsOf(numbers)[0], 740);
    page.on('pageerror', (error) => found.push(`${name}: ${error}`));
    await page.goto(`file://${report}`);
    for (const width of widthsOf(numbers)) {
      await page.setViewportSize({ width, height: 740 });
      await settle(page);
      assert.ok(await page.locator('svg.marks').count() >= 20, 'charts are drawn');
      const whole = await page.evaluate(() => document.documentElement.scrollWidth);
      if (whole !== width) found.push(`${name}, ${width} wide: the page is ${whole} wide`);
      const texts = await page.locator('svg.marks text').allTextContents();
      found.push(...texts.filter((text) => /\.\d*000$/.test(text)).map((text) => `${name}, ${width} wide: a label is ${text}`));
      const drawn = await page.locator('#run-view figure', { hasText: 'What was tried before task 1' }).locator('.mark-symbol.role-mark path').count();
      const { tried = 0, stopped = 0 } = numbers.plan ?? {};
      const expected = Math.min(12, tried) + Math.min(6, stopped);
      if (drawn !== expected) found.push(`${name}, ${width} wide: ${drawn} candidates are drawn, not ${expected}`);
      if (numbers.classes && !texts.some((text) => numbers.classes.includes(text)))
        found.push(`${name}, ${width} wide: no class is called by its name`);
      found.push(...(await cutOff(page)).map((line) => `${name}, ${width} wide: ${line}`));
    }
    await page.close();
    console.log(`looked at ${name}`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const line of found) console.log(`FAILED: ${line}`);
process.exit(found.length === 0 ? 0 : 1);
