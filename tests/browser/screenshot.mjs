// A picture of a report: screenshot.mjs MODULES REPORT PICTURE [WIDTH HEIGHT light|dark [SELECTOR]]. Without a selector
// the top of the page, with one from that element on.
import { resolve } from 'node:path';

import { openBrowser, openPage, settle } from './browser.mjs';

const [modules, report, picture, width = '1280', height = '800', scheme = 'light', selector = ''] = process.argv.slice(2);
const browser = await openBrowser(modules);
const page = await openPage(browser, Number(width), Number(height), { colorScheme: scheme });
await page.goto(`file://${resolve(report)}`);
await settle(page);
if (selector !== '') await page.locator(selector).evaluate((element) => element.scrollIntoView());
await page.screenshot({ path: picture });
await browser.close();
