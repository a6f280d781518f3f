// Looks at pages of --output html with a browser, as people do who see them, who do not, and who have no mouse:
//   node tests/html_browser.js CHROMIUM EMPTY ONE MANY...
// Prints what is wrong. With PONGLINT_SCREENSHOTS=FOLDER it also keeps pictures of what it saw.
'use strict';

const path = require('path');
const {chromium} = require('playwright-core');
const axe = require('axe-core');

const problems = [];
const need = (holds, what) => holds || problems.push(what);

const SCREENS = [{width: 360, height: 740}, {width: 1280, height: 900}];
const SCHEMES = ['light', 'dark'];

async function open(browser, file, options) {
  const context = await browser.newContext({reducedMotion: 'reduce', ...options});
  const page = await context.newPage();
  const url = `file://${path.resolve(file)}`;
  page.on('console', (message) => problems.push(`${file}: the console says: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`${file}: ${error}`));
  page.on('request', (request) =>
    need([url, 'data:'].some((own) => request.url().startsWith(own)), `${file}: asks for ${request.url()}`));
  await page.goto(url);
  return page;
}

// What sticks out of the window to the right, by name.
function overflowing() {
  const wide = document.documentElement.clientWidth;
  const out = [...document.body.querySelectorAll('*')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.right > wide + 0.5 && !element.closest('.skip');
  });
  return {
    scrolls: document.documentElement.scrollWidth > wide,
    names: out.slice(0, 3).map((element) => `${element.tagName}.${element.getAttribute('class')}`),
  };
}

async function checkAxe(page, what) {
  const result = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  for (const violation of result.violations)
    problems.push(`${what}: ${violation.id}: ${violation.help}: ${violation.nodes[0].html}`);
  need(result.passes.length > 10, `${what}: axe looked at nothing`);
}

// A long page is axe's work of minutes: one look on each screen is enough for it, in either scheme one.
async function checkLook(browser, file, long) {
  for (const viewport of SCREENS) {
    const page = await open(browser, file, {viewport});
    await page.evaluate(axe.source);
    for (const colorScheme of SCHEMES) {
      const what = `${path.basename(file)} at ${viewport.width} px, ${colorScheme}`;
      await page.emulateMedia({colorScheme});
      const {scrolls, names} = await page.evaluate(overflowing);
      need(!scrolls && names.length === 0, `${what}: runs out of the window: ${names.join(', ')}`);
      if (!long || (viewport === SCREENS[0]) === (colorScheme === 'dark'))
        await checkAxe(page, what);
      if (process.env.PONGLINT_SCREENSHOTS)
        await page.screenshot({path: path.join(process.env.PONGLINT_SCREENSHOTS,
          `${path.basename(file, '.html')}-${viewport.width}-${colorScheme}.png`)});
    }
    await page.context().close();
  }
}

const shown = (page) => page.$$eval('main > .finding', (all) => all.filter((f) => f.checkVisibility())
  .map((f) => ({rule: f.dataset.rule, folder: f.dataset.folder, id: f.id})));

const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  return at.id || at.getAttribute('name') || at.getAttribute('href') || at.tagName.toLowerCase();
});

async function press(page, ...keys) {
  for (const key of keys)
    await page.keyboard.press(key);
}

// The first value of a list that the keyboard comes to, and what is left on the page with it.
async function choose(page, name, matches) {
  await press(page, 'ArrowDown');
  const value = await page.$eval(`[name=${name}]`, (select) => select.value);
  const left = await shown(page);
  need(value !== '', `the arrow chooses no ${name}`);
  need(left.length > 0 && left.every((finding) => matches(finding, value)), `wrong findings for ${name} ${value}`);
  const links = await page.$$eval('.index li', (all) => all.filter((l) => !l.hidden).length);
  need(links === left.length, `${links} lines in the index for ${left.length} findings`);
  const said = await page.textContent('[role=status]');
  need(said.startsWith(`${left.length} of `), `it says '${said}' where ${left.length} are shown`);
  return left.length;
}

async function checkFilters(browser, file) {
  const page = await open(browser, file, {viewport: SCREENS[1]});
  const all = (await shown(page)).length;
  await press(page, 'Tab');
  need(await focused(page) === '#findings', 'the first stop is not the skip link');
  need(await page.$eval('.skip', (link) => link.getBoundingClientRect().left >= 0), 'the skip link stays hidden');
  await press(page, 'Tab');
  need(await focused(page) === 'by-rule', 'the second stop is not the list of rules');
  const some = await choose(page, 'rule', (finding, value) => finding.rule === value);
  need(some < all, 'one rule hides nothing');
  await press(page, 'Tab', 'Tab', 'Enter');
  need((await shown(page)).length === all, 'the button does not bring all back');
  await press(page, 'Shift+Tab');
  need(await focused(page) === 'by-folder', 'the list of folders is not in front of the button');
  await choose(page, 'folder', ({folder}, value) => folder === value || folder.startsWith(`${value}/`));
  const folders = await page.$$eval('[name=folder] option', (options) => options.map((option) => option.value));
  for (const folder of folders) {
    await page.selectOption('[name=folder]', folder);
    need((await shown(page)).length > 0, `nothing lies in ${folder}`);
  }
  await page.context().close();
}

async function checkKeyboard(browser, file) {
  const page = await open(browser, file, {viewport: SCREENS[1]});
  const last = await page.$eval('.index li:last-child a', (link) => { link.focus(); return link.hash.slice(1); });
  await press(page, 'Enter');
  need(await page.evaluate((id) => location.hash === `#${id}`, last), 'Enter on a line of the index leads nowhere');
  need(await page.$eval(`#${last}`, (finding) => {
    const box = finding.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  }), 'the finding is not in view');
  const table = page.locator('figure details').first();
  await table.locator('summary').focus();
  need(!await table.locator('table').isVisible(), 'the table is open from the start');
  await press(page, 'Enter');
  need(await table.locator('table').isVisible(), 'Enter does not open the table of a curve');
  await page.goto(`${page.url().split('#')[0]}`);
  await press(page, 'Tab', 'Enter');
  need(await focused(page) === 'findings', 'the skip link does not lead to the findings');
  await page.context().close();
}

async function checkWithoutScript(browser, file) {
  const page = await open(browser, file, {viewport: SCREENS[0], javaScriptEnabled: false});
  need(!await page.isVisible('.filters'), 'a filter that cannot work is shown');
  need(await page.isVisible('.index ol') && (await page.$$('main > .finding')).length > 1, 'findings need the script');
  await page.context().close();
}

async function checkPaper(browser, file) {
  const page = await open(browser, file, {viewport: SCREENS[1], colorScheme: 'dark'});
  await page.emulateMedia({media: 'print'});
  need(!await page.isVisible('.side'), 'the filters are printed');
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  need(paper === 'rgb(255, 255, 255)', `the paper is ${paper}`);
  await page.context().close();
}

async function main() {
  const [executablePath, ...files] = process.argv.slice(2);
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage']});
  for (const file of files)
    await checkLook(browser, file, file === files[2]);
  const many = files[2];
  await checkFilters(browser, many);
  await checkKeyboard(browser, many);
  await checkWithoutScript(browser, many);
  await checkPaper(browser, many);
  await browser.close();
  console.log(`${files.length} pages`);
  for (const problem of problems)
    console.log(problem);
  process.exit(problems.length > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log(error);
  process.exit(1);
});
