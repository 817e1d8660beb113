// The page of gpscl report in a real browser: report_test.mjs GPSCL MODULES.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openBrowser, openPage, settle } from './browser.mjs';
import { cutOff } from './cut_off.mjs';
import { writeTinyMnist } from './tiny_mnist.mjs';

const [program, modules] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'gpscl-browser-'));
const store = join(folder, 'out', 'runs.sqlite');

// Undoes what a failed check has left, so that the others fail only by themselves: filters, charts, size, colours. The
// run that is open stays, because its number is in the address.
async function startAgain(page) {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.reload();
  await settle(page);
  await clearFilters(page);
}

// The page applies it a moment after the click.
async function clearFilters(page) {
  await page.click('#filters button[type="reset"]');
  await page.waitForFunction(() => /^(\d+) of \1 runs/.test(document.querySelector('#filters output').textContent));
  await settle(page);
}

function gpscl(...words) {
  const done = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

// Policies, learners, a split stream, a joint learner, plans, images and a failure: a bit of everything.
function fillStore() {
  writeTinyMnist(join(folder, 'data', 'mnist'));
  const common = ['--data', join(folder, 'data'), '--out', join(folder, 'out'), '--hidden', '16', '--epochs', '1'];
  const memory = ['--memory', '30', '--export', 'memory'];
  const runs = [
    ['p-mnist', '--policy', 'reservoir,gps', '--tasks', '3', '--seeds', '3', ...memory],
    ['p-mnist', '--learner', 'joint', '--tasks', '3'],
    ['s-mnist', '--learner', 'er,der', '--seeds', '2', ...memory],
    ['p-mnist', '--plan', 'lr,weights', '--tasks', '3', '--seeds', '2', ...memory],
  ];
  for (const words of runs) assert.equal(gpscl('run', ...words, ...common).code, 0, words.join(' '));
  assert.equal(gpscl('run', 'p-mnist', '--tasks', '3', '--lr', '1e30', ...memory, ...common).code, 1);
  assert.equal(gpscl('run', 'p-mnist', '--seeds', '2', ...common.slice(0, 4)).code, 0); // as in the paper's Table 1
  for (const words of Object.values(probes)) assert.equal(gpscl('probe', ...words, ...common).code, 0, words.join(' '));
}

// Analyses, by their kind on the page. What is recorded is not done again, so the same words tell the store's numbers.
const probes = {
  'ring-size': ['ring-size', 'p-mnist', '--tasks', '3', '--memory', '30', '--points', '5', '--seeds', '2', '--score-examples', '20'],
  forgetting: ['forgetting', 'p-mnist', '--tasks', '3', '--memory', '30', '--seeds', '2', '--score-examples', '20'],
  difficulty: ['difficulty', 'p-mnist', '--tasks', '3', '--count', '3', '--future', 'real,rotation', '--seeds', '2'],
  'zero-shot': ['zero-shot', 's-mnist', '--memory', '30', '--after', '1', '--count', '2', '--seeds', '2'],
};

const cellsOf = (csv) => csv.trimEnd().split('\r\n').map((line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, '')));

const checks = [];
const check = (name, body) => checks.push([name, body]);
const shown = (page, selector) => page.locator(selector).filter({ visible: true });
const tableTexts = (page, selector) => page.$$eval(`${selector} tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

check('its tables have the numbers of gpscl runs compare', async (page) => {
  const settings = JSON.parse(gpscl('runs', 'compare', '--store', store, '--format', 'json').out);
  assert.equal(settings.length, 3);
  const text = gpscl('runs', 'compare', '--store', store, '--format', 'md').out;
  const printed = text.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | ').map((cell) => cell.trim()));
  const inPage = [];
  for (let k = 1; k <= settings.length; ++k) inPage.push(...await tableTexts(page, `#setting-${k} .scroll`));
  assert.deepEqual(inPage.map((row) => row.map((cell) => cell.trim())), printed);
  assert.ok(printed.flat().some((cell) => /^[+-]\d+\.\d\d \[/.test(cell)), 'there are intervals');
});

check('every run has the accuracy of the store', async (page) => {
  const kept = JSON.parse(gpscl('runs', 'export', '--store', store, '--format', 'json').out);
  const rows = await page.$$eval('#runs tbody tr', (all) => all.map((row) => [Number(row.dataset.run), row.cells[8].textContent]));
  assert.equal(rows.length, kept.length);
  for (const run of kept) {
    const [, text] = rows.find(([id]) => id === run.id);
    if (run.status === 'failed') assert.equal(text, '–');
    else {
      const { metrics } = run.result.class_incremental ?? run.result; // among all classes, where tasks have their own
      assert.ok(Math.abs(Number(text) - 100 * metrics.average_accuracy) < 0.00501, `run ${run.id}: ${text}`);
    }
  }
  assert.match(await page.textContent('#runs tbody'), /failed.*the loss is no longer/);
});

check('a run opens by keyboard, with its accuracy matrix, probes, memory and command', async (page) => {
  const kept = JSON.parse(gpscl('runs', 'export', '--store', store, '--format', 'json').out);
  const gps = kept.find((run) => run.spec.policy === 'gps' && run.seed === 0);
  await page.focus(`tr[data-run="${gps.id}"] a`);
  await page.keyboard.press('Enter');
  await page.waitForFunction((id) => document.querySelector('#run-title').textContent.startsWith(`Run ${id}:`), gps.id);
  await settle(page);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'run', 'the run has the focus');
  const cells = await page.$$eval('#run-view figure:first-of-type .mark-text.role-mark text', (all) => all.map((text) => Number(text.textContent)));
  const expected = gps.result.accuracy.flat().map((value) => 100 * value);
  assert.equal(cells.length, expected.length);
  cells.forEach((value, k) => assert.ok(Math.abs(value - expected[k]) < 0.0501, `entry ${k}: ${value}, ${expected[k]}`));
  const command = await page.textContent('#run-view pre');
  assert.equal(command, /to repeat it: (.*)/.exec(gpscl('runs', 'show', String(gps.id), '--store', store).out)[1]);
  const probes = gps.result.switching_points.reduce((count, point) => count + point.probes.length, 0);
  const view = page.locator('#run-view');
  const dots = await view.locator('figure', { hasText: 'What the search tried' }).locator('.mark-symbol.role-mark path').count();
  assert.equal(dots, probes);
  const tiles = await page.locator('.tile').count();
  const stored = gps.result.memory.at(-1).tasks.reduce((count, share) => count + [...share.ring, ...share.reservoir].reduce((a, b) => a + b, 0), 0);
  assert.equal(tiles, stored);
  const inRing = gps.result.memory.at(-1).tasks.reduce((count, share) => count + share.ring.reduce((a, b) => a + b, 0), 0);
  assert.equal(await page.locator('.tile.ring').count(), inRing);
});

check('a planned run shows its plan, and what was expected beside what was reached', async (page) => {
  const kept = JSON.parse(gpscl('runs', 'export', '--store', store, '--format', 'json').out).filter((run) => run.spec.plan);
  assert.equal(kept.length, 2);
  const [choice] = kept[0].result.plan.choices;
  await page.evaluate((id) => { location.hash = `#run-${id}`; }, kept[0].id);
  await page.waitForFunction((id) => document.querySelector('#run-title').textContent.startsWith(`Run ${id}:`), kept[0].id);
  await settle(page);
  assert.match(await page.textContent('#run-title'), /er plan:lr\+weights reservoir seed/);
  const [low, high] = [choice.expected.low, choice.expected.high].map((share) => (100 * share).toFixed(1));
  const reached = (100 * kept[0].result.metrics.average_accuracy).toFixed(1);
  assert.equal(await page.textContent('#prediction'), `Accuracy after the last task: expected ${low} to ${high} %, reached ${reached} %.`);
  const [, row] = await tableTexts(page, '#prediction ~ .scroll');
  assert.deepEqual(row.slice(0, 5), ['1 to 3', `${(100 * choice.expected.accuracy).toFixed(1)} [${low}, ${high}]`, reached,
    String(choice.trials.length), String(choice.trials.filter((trial) => !trial.complete).length)]);
  const figure = page.locator('#run-view figure', { hasText: 'What was tried before task 1' });
  const complete = choice.trials.filter((trial) => trial.complete).length;
  const drawn = await figure.locator('.mark-symbol.role-mark path').count();
  assert.ok(drawn >= Math.min(12, complete) && drawn <= choice.trials.length, `${drawn} of ${choice.trials.length}`);
  assert.equal(await figure.locator('.mark-rule.role-mark line').count(), 1, 'what was reached');
  assert.match((await figure.locator('.role-legend-label text').allTextContents()).join(), /chosen.*tried to the end/);
  await figure.locator('.mark-symbol.role-mark path').first().hover({ force: true });
  await page.waitForSelector('#vg-tooltip-element.visible');
  assert.match(await page.textContent('#vg-tooltip-element'), /er, lr .*%\s*\d+\.\d\d/s);
});

check('plans stand in their setting and in the overview; other runs have none', async (page) => {
  const kept = JSON.parse(gpscl('runs', 'export', '--store', store, '--format', 'json').out);
  const planned = kept.filter((run) => run.spec.plan);
  const within = planned.filter(({ result }) => {
    const { low, high } = result.plan.choices[0].expected;
    return low <= result.metrics.average_accuracy && result.metrics.average_accuracy <= high;
  });
  assert.match(await page.textContent('#overview .tiles-of-facts'), new RegExp(`${within.length} of 2 within the interval of the plan`));
  const figures = page.locator('figure', { hasText: 'What plans expected' });
  assert.equal(await figures.count(), 1, 'only the setting that has plans');
  assert.equal(await figures.locator('.mark-symbol.role-mark path').count(), 2);
  const other = kept.find((run) => run.spec.policy === 'gps' && run.seed === 0);
  await page.evaluate((id) => { location.hash = `#run-${id}`; }, other.id);
  await page.waitForFunction((id) => document.querySelector('#run-title').textContent.startsWith(`Run ${id}:`), other.id);
  await settle(page);
  assert.equal(await page.locator('#prediction').count(), 0);
});

check('the memory can be followed through time by keyboard', async (page) => {
  const figure = page.locator('#run-view figure', { hasText: 'Task × class' });
  const before = await figure.locator('.mark-rect.role-mark path').count();
  await page.focus('#memory-after');
  await page.keyboard.press('ArrowLeft');
  await settle(page);
  assert.equal(await page.textContent('output[for="memory-after"]'), '2');
  assert.ok(await figure.locator('.mark-rect.role-mark path').count() < before);
});

check('charts tell numbers under the pointer, and their legends filter', async (page) => {
  const figure = page.locator('#setting-1 figure', { hasText: 'Average accuracy on the tasks so far' });
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('.mark-symbol.role-mark path').first().hover({ force: true });
  await page.waitForSelector('#vg-tooltip-element.visible');
  assert.match(await page.textContent('#vg-tooltip-element'), /mean %\s*\d+\.\d\d/);
  const faint = figure.locator('.mark-symbol.role-mark path[opacity="0.12"]');
  assert.equal(await faint.count(), 0);
  await figure.locator('.role-legend-symbol path').first().click({ force: true });
  await faint.first().waitFor({ state: 'attached' });
});

check('charts are saved as SVG and PNG, without a network', async (page) => {
  const figure = page.locator('#setting-1 figure').first();
  await figure.locator('summary').click();
  for (const [label, start] of [['Save as SVG', '<svg'], ['Save as PNG', '\x89PNG']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), figure.getByText(label).click()]);
    const bytes = readFileSync(await download.path(), 'latin1');
    assert.ok(bytes.startsWith(start), `${label}: ${bytes.slice(0, 20)}`);
  }
  assert.equal(await figure.getByText('Vega Editor').count(), 0);
});

check('filters hold for every section', async (page) => {
  const rows = () => shown(page, '#runs tbody tr').count();
  const all = await rows();
  assert.equal(all, 16);
  await page.selectOption('#filter-policy', 'gps:permutation');
  assert.equal(await rows(), 3);
  assert.equal(await shown(page, '#setting-1 tbody tr').count(), 1);
  assert.equal(await shown(page, '#setting-2').count(), 0);
  assert.equal(await page.locator('#run-choice option').count(), 3);
  assert.equal((await page.textContent('#commands code')).split('\n').length, 3);
  await settle(page);
  const lines = await page.locator('#setting-1 figure', { hasText: 'Average accuracy' }).locator('.mark-line.role-mark path').count();
  assert.equal(lines, 1);
  await page.fill('#filter-text', 'seed 2');
  await page.waitForFunction(() => document.querySelector('#filters output').textContent === '1 of 16 runs');
  await clearFilters(page);
  await page.selectOption('#filter-benchmark', 's-mnist');
  await settle(page);
  assert.equal(await rows(), 4);
  assert.equal(await shown(page, '#setting-2 figure').filter({ hasText: 'among the classes of each task' }).count(), 2);
  assert.equal(await shown(page, '#paper').count(), 0, 'its runs are of p-mnist');
  await clearFilters(page);
});

check('the paper stands beside runs of its own setting', async (page) => {
  assert.equal(await shown(page, '#paper tbody tr').filter({ hasText: 'ER-Res, P-MNIST' }).filter({ hasText: '86.55 ± 0.48' }).count() > 0, true);
  await page.selectOption('#filter-policy', 'gps:permutation');
  assert.equal(await shown(page, '#paper').count(), 0);
  await clearFilters(page);
});

check('analyses are drawn, with the numbers of the store', async (page) => {
  const near = (text, { mean, deviation }, digits, scale) => {
    const [first, second] = text.split(' ± ').map(Number);
    const half = 0.51 * 10 ** -digits;
    return Math.abs(first - scale * mean) < half && Math.abs(second - scale * deviation) < half;
  };
  for (const [kind, words] of Object.entries(probes)) {
    const common = ['--data', join(folder, 'data'), '--out', join(folder, 'out'), '--hidden', '16', '--epochs', '1'];
    const kept = JSON.parse(gpscl('probe', ...words, ...common, '--format', 'json').out).rows;
    const section = page.locator(`.analysis[data-kind="${kind}"]`);
    assert.equal(await section.count(), 1, kind);
    const rows = await tableTexts(page, `.analysis[data-kind="${kind}"] table`);
    const [head, ...body] = rows;
    const lines = head[0];
    const x = head[1];
    assert.equal(body.length, kept.length, kind);
    for (const row of kept) {
      const shownRow = body.find((cells) => cells[0] === row[lines] && cells[1] === String(row[x]));
      assert.ok(shownRow, `${kind}: ${row[lines]}, ${x} ${row[x]}`);
      assert.equal(shownRow[2], '2', 'seeds');
      assert.ok(row['test accuracy'], `${kind}: an accuracy`);
      for (const [measure, column, digits, scale] of [['test loss', 'test loss', 4, 1], ['test accuracy', 'test accuracy %', 2, 100]]) {
        if (!row[measure]) continue;
        const cell = shownRow[head.indexOf(column)];
        assert.ok(near(cell, row[measure], digits, scale), `${kind} ${row[lines]} ${row[x]}: ${cell}, ${JSON.stringify(row[measure])}`);
      }
    }
    // One dot a point; a band or a bar for each line.
    const labels = new Set(kept.map((row) => row[lines]));
    for (const figure of await section.locator('figure').all()) {
      assert.equal(await figure.locator('.mark-symbol.role-mark path').count(), kept.length, kind);
      const spread = await figure.locator('.mark-area.role-mark path').count() || await figure.locator('.mark-rule.role-mark line').count();
      assert.ok(spread >= labels.size, `${kind}: ${spread} of ${labels.size}`);
    }
  }
  assert.match(await page.textContent('#analyses > p'), /one standard deviation/);
  const figure = page.locator('.analysis[data-kind="ring-size"] figure').first();
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('.mark-symbol.role-mark path').first().hover({ force: true });
  await page.waitForSelector('#vg-tooltip-element.visible');
  assert.match(await page.textContent('#vg-tooltip-element'), /ring size\s*0.*deviation\s*\d.*seeds\s*2/s);
  await figure.locator('.role-legend-symbol path').first().click({ force: true });
  await figure.locator('.mark-symbol.role-mark path[opacity="0.12"]').first().waitFor({ state: 'attached' }); // its legend filters
});

check('small tables tell minima, variances, times, each by its setting', async (page) => {
  const texts = (await page.locator('#analysis-tables table').allTextContents()).join('\n');
  assert.match(texts, /have one minimum[^]*offline5\d of 2/);
  assert.match(texts, /variance of the accuracies[^]*rotation32\d+\.\d\d ± /);
  assert.match(texts, /Simulation against training[^]*gps:permutation3\d+\.\d\d ± /);
  await page.selectOption('#filter-benchmark', 's-mnist');
  assert.deepEqual(await shown(page, '.analysis').evaluateAll((all) => all.map((each) => each.dataset.kind)), ['zero-shot']);
  for (const row of await shown(page, '#analysis-tables tbody tr').allTextContents()) assert.match(row, /^s-mnist/);
  assert.equal(await shown(page, 'nav a[href="#analysis-ring-size"]').count(), 0, 'the contents follow');
  await clearFilters(page);
  await page.selectOption('#filter-learner', 'er');
  assert.match((await shown(page, '#analysis-tables tbody tr').allTextContents()).join('\n'), /offline5/, 'its learner is er');
  await clearFilters(page);
});

check('charts that come back have their width', async (page) => {
  await page.selectOption('#filter-benchmark', 's-mnist');
  await page.setViewportSize({ width: 1000, height: 800 });
  await settle(page);
  await clearFilters(page);
  for (const width of await shown(page, '.analysis svg.marks').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width)))
    assert.ok(width > 200, `${width} pixels`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await settle(page);
});

check('columns sort', async (page) => {
  const accuracies = () => page.$$eval('#runs tbody tr', (rows) => rows.map((row) => Number(row.cells[8].textContent) || -1));
  await page.getByRole('button', { name: 'accuracy %' }).click();
  const sorted = await accuracies();
  assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a));
});

check('light and dark follow the system, or the reader', async (page) => {
  const colours = () => page.evaluate(() => [getComputedStyle(document.body).backgroundColor,
    getComputedStyle(document.querySelector('#setting-1 .role-axis-label text')).fill]);
  const light = await colours();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await colours();
  assert.notEqual(light[0], dark[0]);
  assert.notEqual(light[1], dark[1], 'charts too');
  await page.click('#theme');
  assert.deepEqual(await colours(), light);
  await page.click('#theme');
  await page.emulateMedia({ colorScheme: 'light' });
  assert.deepEqual(await colours(), dark);
  await page.click('#theme');
  assert.deepEqual(await colours(), light);
});

check('nothing is wider than a phone', async (page) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  assert.deepEqual(await cutOff(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await settle(page);
});

check('it prints without what is for the screen only', async (page) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await shown(page, '#filters').count(), 0);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.ok((await page.pdf()).length > 50000);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
});

check('the skip link comes first', async (page) => {
  await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
  await page.locator('header h1').click();
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the results');
});

const browser = await openBrowser(modules);
let failed = 0;
try {
  fillStore();
  const report = join(folder, 'report.html');
  const made = gpscl('report', store, '-o', report);
  assert.equal(made.code, 0, made.err);
  const page = await openPage(browser, 1280, 800);
  const problems = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(message.text()); });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== `file://${report}` && !/^(data|blob):/.test(request.url())) problems.push(`request of ${request.url()}`);
  });
  await page.goto(`file://${report}`);
  await settle(page);
  assert.ok(await page.locator('svg.marks').count() >= 12, 'charts are drawn');
  for (const [name, body] of checks) {
    try {
      await body(page);
      console.log(`ok: ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${name}\n${error.stack}`);
      await startAgain(page);
    }
  }
  assert.deepEqual(problems, [], 'no error, no request');
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
