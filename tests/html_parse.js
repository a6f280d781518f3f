// Holds a page of --output html against the HTML specification's parser, and against what the page promises:
//   node tests/html_parse.js PAGE FINDINGS [TEXT...]
// every TEXT stands in it as text. Prints what is wrong.
'use strict';

const crypto = require('crypto');
const fs = require('fs');

const problems = [];
const need = (holds, what) => holds || problems.push(what);

function attribute(node, name) {
  const found = (node.attrs || []).find((a) => a.name === name);
  return found && found.value;
}

function* all(node) {
  yield node;
  for (const child of node.childNodes || [])
    yield* all(child);
}

function textOf(node) {
  return node.nodeName === '#text' ? node.value : (node.childNodes || []).map(textOf).join('');
}

function hash(text) {
  return `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;
}

// Every reference leads to exactly one element.
function checkReferences(elements) {
  const ids = elements.map((e) => attribute(e, 'id')).filter(Boolean);
  need(new Set(ids).size === ids.length, 'an id stands twice');
  for (const element of elements) {
    const href = attribute(element, 'href');
    const to = [attribute(element, 'for'), ...(attribute(element, 'aria-labelledby') || '').split(' '),
      href && href.startsWith('#') ? href.slice(1) : ''].filter(Boolean);
    for (const id of to)
      need(ids.includes(id), `nothing has the id ${id}`);
  }
}

// Nothing is fetched, nothing runs but the one script.
function checkClosed(elements) {
  const named = (name) => elements.filter((e) => e.tagName === name);
  need(named('script').length === 1 && named('style').length === 1, 'there is not one script and one style');
  const policy = named('meta').map((m) => attribute(m, 'http-equiv') && attribute(m, 'content')).find(Boolean) || '';
  need(policy.startsWith("default-src 'none'"), 'the policy does not forbid everything first');
  need(policy.includes(`script-src ${hash(textOf(named('script')[0]))};`), 'the hash of the script is another');
  need(policy.includes(`style-src ${hash(textOf(named('style')[0]))};`), 'the hash of the style is another');
  for (const name of ['img', 'iframe', 'object', 'embed', 'base', 'b', 'video', 'audio'])
    need(named(name).length === 0, `there is a ${name}`);
  for (const element of elements)
    for (const {name, value} of element.attrs || []) {
      need(!name.startsWith('on') && name !== 'style', `an attribute ${name}`);
      if (['href', 'src', 'xlink:href', 'action'].includes(name))
        need(/^(#|data:image\/svg)/.test(value), `${name} leads to ${value}`);
    }
  need(!/url\(|@import/.test(textOf(named('style')[0])), 'the style fetches something');
}

function checkShape(elements, findings) {
  const named = (name) => elements.filter((e) => e.tagName === name);
  need(named('h1').length === 1 && named('main').length === 1, 'there is not one h1 and one main');
  need(attribute(named('html')[0], 'lang') === 'en', 'the page has no language');
  need(named('article').length === findings, `${named('article').length} findings, not ${findings}`);
  let last = 1;
  for (const heading of elements.filter((e) => /^h[1-6]$/.test(e.tagName))) {
    const level = Number(heading.tagName[1]);
    need(level <= last + 1, `a heading of level ${level} follows one of ${last}`);
    last = level;
  }
  for (const picture of elements.filter((e) => e.tagName === 'svg'))
    need(attribute(picture, 'aria-hidden') === 'true' ||
      (attribute(picture, 'role') === 'img' && attribute(picture, 'aria-labelledby')), 'a picture without a name');
}

async function main() {
  const {parse} = await import('parse5');
  const [file, findings, ...texts] = process.argv.slice(2);
  const source = fs.readFileSync(file);
  const page = new TextDecoder('utf-8', {fatal: true}).decode(source);
  const document = parse(page, {
    sourceCodeLocationInfo: true,
    onParseError: (e) => problems.push(`line ${e.startLine}, column ${e.startCol}: ${e.code}`),
  });
  const elements = [...all(document)].filter((node) => node.tagName);
  checkReferences(elements);
  checkClosed(elements);
  checkShape(elements, Number(findings));
  const text = textOf(document);
  for (const wanted of texts)
    need(text.includes(wanted), `no text '${wanted}'`);
  for (const problem of problems)
    console.log(`${file}: ${problem}`);
  process.exit(problems.length > 0 ? 1 : 0);
}

main();
