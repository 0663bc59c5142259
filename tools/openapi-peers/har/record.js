// Records the fixture of crates/cli/tests/har with Chromium: node record.js PORT OUT
//
// Run by record.py, which starts the server and removes what is of the machine. Needs `chromium` (Debian) and `playwright-core`
// (npm).
'use strict';
const { chromium } = require('playwright-core');

(async () => {
  const [port, out] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({ recordHar: { path: out, content: 'embed', mode: 'full' } });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const send = (path, options) => page.evaluate(async ([path, options]) => {
    const response = await fetch(path, options);
    await response.text();
  }, [path, options]);
  const json = (value) => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });
  await send('/v1/notes?tag=work&tag=home&limit=50');
  await send('/v1/notes?limit=51');
  await send('/v1/notes', json({ text: 'Buy milk — now', tag: 'work' }));
  await send('/v1/notes', json({ text: '', more: 1 }));
  await send('/v1/notes/1', { headers: { 'X-Trace': 'on' } });
  await send('/v1/notes/13');
  await page.evaluate(async () => {
    const body = new URLSearchParams({ words: 'a b&c', exact: 'true' });
    await (await fetch('/v1/search', { method: 'POST', body })).text();
  });
  // A body that the browser sends as a stream of bytes.
  await page.evaluate(async () => {
    const body = new Blob([JSON.stringify({ text: 'From a blob', tag: 'home' })], { type: 'application/json' });
    await (await fetch('/v1/notes', { method: 'POST', body })).text();
  });
  await send('/v1/nothing');
  await context.close();
  await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });
