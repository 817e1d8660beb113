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
const reports = {
  'the shortest runs': { times: [[0.001, 0.0005, 0.0002], [0.004, 0.001, 0.001]], names: short, tasks: 3, stored: 30, loss: 1e-6 },
  'runs of many digits': { times: [[123.456789, 9.87654321, 0.000123], [1234.5678, 0, 1.25]], names: short, tasks: 5, stored: 200, loss: 0.5 },
  'the longest runs beside the shortest': { times: [[1e6, 333333.333, 12345.678], [0.001, 0, 0]], names: short, tasks: 20, stored: 1e6, loss: 123456.789 },
  'hours, and long names': { times: [[9876.54321, 4567.89, 3], [11111.1, 0.25, 0.5], [98765.4321, 1, 1]], names: long, tasks: 3, stored: 5000, loss: 98.7654 },
  'perfect runs, and named classes': { times: [[1, 0.5, 0.25], [2, 1, 0.5]], names: short, tasks: 3, stored: 30, loss: 0.5,
    isPerfect: true, classes: ['ankle boot', 'bag', 'coat', 'dress', 'pullover', 'sandal', 'shirt', 'sneaker', 't-shirt', 'trouser'] },
  'many lines': { times: Array.from({ length: 14 }, (_, k) => [0.0017603 * 4.7 ** k, 0.00071 * 4.3 ** k, 0.0003]), names: long, tasks: 2, stored: 30, loss: 3 },
};
const widths = [470, 360, 280]; // a legend in two columns, a phone, one that is narrower still
const phone = [360];
// Names make legends, which change with the width; numbers are looked at on a phone.
const widthsOf = ({ names }) => (names === long ? widths : phone);

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
