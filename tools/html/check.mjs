// Opens HTML reports in a browser and checks what tests of the text cannot: that the page works.
//
//   node check.mjs CHROMIUM CHECKS.json [FOLDER]
//
// CHECKS.json is an array of pages, each with
//   file      the page
//   targets   how many targets it has
//   link      the id of a target, which a link has to show
//   operation optional: `key` of an operation, and `targets`, how many it reaches
//   seconds   optional: the longest time that opening it may take, the best of three times
//   axe       optional: `false` if the rules of accessibility are not checked, which takes long in large pages
// With FOLDER, screenshots are written there. The exit code is 1 if a check fails.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";

const [executablePath, checks, folder] = process.argv.slice(2);
const pages = JSON.parse(readFileSync(checks, "utf8"));
const problems = [];
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
for (const check of pages) {
  const fail = (problem) => problems.push(`${check.file}: ${problem}`);
  try {
    await checkPage(check, fail);
  } catch (error) {
    fail(error.stack);
  }
}
await browser.close();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;

async function checkPage(check, fail) {
  const url = pathToFileURL(check.file).href;
  await checkTime(check, url, fail);
  await checkContent(check, url, fail);
  await checkLink(check, url, fail);
  await checkWithoutScript(check, url, fail);
  for (const colorScheme of ["light", "dark"]) await checkAccessibility(check, url, colorScheme, fail);
  console.log(`checked ${check.file}`);
}

/// A page that reports errors of the console and requests.
async function open(url, fail, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 }, ...options });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) fail(`the console says: ${message.text()}`);
  });
  page.on("pageerror", (error) => fail(`an error in the script: ${error}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url.split("#")[0]) fail(`it requests ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

async function checkTime(check, url, fail) {
  if (!check.seconds) return;
  let best = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now();
    const page = await open(url, fail);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    best = Math.min(best, performance.now() - start);
    await page.close();
  }
  console.log(`opened ${basename(check.file)} in ${Math.round(best)} ms`);
  if (best > check.seconds * 1000) fail(`it took ${Math.round(best)} ms to open`);
}

/// How many targets are not filtered out, by status.
function countShown(page) {
  return page.$$eval("#tree li[data-d]:not([hidden])", (items) => {
    const counts = { all: items.length };
    for (const item of items) counts[item.className] = (counts[item.className] ?? 0) + 1;
    return counts;
  });
}

async function checkContent(check, url, fail) {
  const page = await open(url, fail);
  const message = () => page.textContent("#filter output");
  const whole = await message();
  const all = await countShown(page);
  const expect = async (what, count, text) => {
    await page.waitForFunction((text) => document.querySelector("#filter output").textContent === text, text)
      .catch(async () => fail(`${what}: it says "${await message()}" and not "${text}"`));
    const shown = (await countShown(page)).all;
    if (shown !== count) fail(`${what}: ${shown} targets are shown and not ${count}`);
  };
  if (all.all !== check.targets) fail(`it has ${all.all} targets and not ${check.targets}`);
  if (all.h) {
    const others = all.all - all.h;
    await page.uncheck("#filter [value=h]");
    await expect("without those that were hit", others, `${others} of ${whole}`);
  }
  await page.click("#filter [type=reset]");
  await expect("after a reset", all.all, whole);
  await page.fill("#filter [name=q]", "no target has this text");
  await expect("with a text that no target has", 0, `0 of ${whole}`);
  if (await page.isVisible("#tree details")) fail("locations without targets are shown");
  await page.fill("#filter [name=q]", check.link.toUpperCase());
  const found = page.locator(`[id="${await idOf(page, check.link)}"]`);
  await found.waitFor({ state: "visible", timeout: 5000 }).catch(() => fail("a search does not show what it finds"));
  await page.fill("#filter [name=q]", "");
  const dimension = await found.getAttribute("data-d");
  const count = await page.$$eval("#tree li[data-d]", (items, it) => items.filter((item) => item.dataset.d === it).length, dimension);
  if (count !== all.all) {
    await page.selectOption("#filter [name=d]", dimension);
    await expect("of one dimension", count, `${count} of ${whole}`);
  }
  if (check.operation) {
    const { key, targets } = check.operation;
    await page.click("#filter [type=reset]");
    await page.selectOption("#filter [name=o]", key);
    await expect("of one operation", targets, `${targets} of ${whole}`);
  } else if (await page.locator("#filter [name=o]").count()) {
    fail("there is a filter by operation, although no operation is known");
  }
  await page.click("#filter [type=reset]");
  await expect("after another reset", all.all, whole);
  await page.click("#filter [name=close]");
  if (await page.isVisible("#tree li")) fail("`Collapse all` leaves targets open");
  if (check.targets < 1000) {
    await page.click("#filter [name=open]");
    if (!(await found.isVisible())) fail("`Expand all` does not open all");
    await checkExample(page, fail);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (overflow > 0) fail(`a narrow window has to be scrolled by ${overflow} pixels`);
  await page.close();
}

/// A link to an instance shows it beside its target, and hides it again.
async function checkExample(page, fail) {
  const link = page.locator("#tree a.e").first();
  if (!(await link.count())) return;
  const instance = page.locator("#tree li pre").first();
  await link.click();
  if (!(await instance.isVisible())) fail("an instance is not shown");
  if ((await link.getAttribute("aria-expanded")) !== "true") fail("the state of an instance is not announced");
  await link.press("Enter");
  if (await instance.count()) fail("an instance is not hidden again");
}

/// The id of the element of a target.
function idOf(page, target) {
  const find = (items, target) => items.find((item) => decodeURIComponent(item.id) === target)?.id;
  return page.$$eval("#tree li[data-d]", find, target);
}

async function checkLink(check, url, fail) {
  const first = await open(url, fail);
  const id = await idOf(first, check.link);
  await first.close();
  if (!id) return fail(`it has no target ${check.link}`);
  const page = await open(`${url}#${id}`, fail);
  await checkShown(page, id, fail, "a link");
  // A link inside the page, to what is closed and filtered out.
  await page.click("#filter [name=close]");
  await page.fill("#filter [name=q]", "no target has this text");
  await page.waitForFunction(() => document.querySelector("#tree details").hidden);
  await page.evaluate((id) => { location.hash = ""; location.hash = id; }, id);
  await checkShown(page, id, fail, "a link to what was filtered out");
  if (folder) await page.screenshot({ path: join(folder, `${basename(check.file, ".html")}-link.png`) });
  await page.close();
}

async function checkShown(page, id, fail, what) {
  const isShown = (id) => {
    const item = document.getElementById(id);
    const { top, bottom } = item.getBoundingClientRect();
    return item.checkVisibility() && top >= 0 && bottom <= innerHeight && document.activeElement === item;
  };
  await page.waitForFunction(isShown, id, { timeout: 5000 }).catch(() => fail(`${what} does not show its target`));
}

async function checkWithoutScript(check, url, fail) {
  const page = await open(url, fail, { javaScriptEnabled: false });
  const count = await page.locator("#tree li[data-d]").count();
  if (count !== check.targets) fail(`without a script it has ${count} targets`);
  if (await page.isVisible("#filter")) fail("without a script there is a filter that does nothing");
  if (!(await page.isVisible("#tree summary"))) fail("without a script the contract is not shown");
  await page.close();
}

async function checkAccessibility(check, url, colorScheme, fail) {
  const page = await open(url, fail, { colorScheme });
  if (folder) await page.screenshot({ path: join(folder, `${basename(check.file, ".html")}-${colorScheme}.png`) });
  if (check.axe !== false) {
    await page.click("#filter [name=open]");
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const { id, impact, nodes } of violations) {
      const text = `${colorScheme}: ${impact}: ${id}: ${nodes.slice(0, 3).map((node) => node.html).join("\n  ")}`;
      if (["serious", "critical"].includes(impact)) fail(text);
      else console.log(`${check.file}: ${text}`);
    }
  }
  await page.close();
}
