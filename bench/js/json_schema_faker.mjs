// Runs json-schema-faker: `node json_schema_faker.mjs DEPTH SCHEMA OUT SECONDS MOST`, with the folder
// that it is installed in as PEERS_NODE_MODULES. The contract of every runner is in `bench/README.md`.
//
// One seed for each instance: `createGeneratorSync` counts them up. DEPTH is `default`, or a number for
// `maxDepth`: below the default of 5, values become null or empty whatever the schema says.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [depth, schemaFile, outFile, seconds, most] = process.argv.slice(2);
const entry = `${process.env.PEERS_NODE_MODULES}/json-schema-faker/dist/index.js`;
const { createGeneratorSync } = await import(pathToFileURL(entry));
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const out = openSync(outFile, "w");
const generator = createGeneratorSync(
  depth === "default" ? { seed: 1 } : { seed: 1, maxDepth: Number(depth) },
);
const errors = new Map();
let made = 0;
let failed = 0;
let lines = [];
const flush = () => {
  writeSync(out, lines.join(""));
  lines = [];
};

const wall = performance.now();
const start = cpu();
// The clock on the wall is cheap to read and never behind: the dear one is asked only then.
const isOver = () =>
  performance.now() - wall >= 1000 * Number(seconds) && cpu() - start >= Number(seconds);
while (made + failed < Number(most) && !isOver()) {
  try {
    const text = JSON.stringify(generator.generate(schema));
    if (text === undefined) throw new Error("the value is no JSON");
    lines.push(text + "\n");
    made += 1;
  } catch (error) {
    const message = String(error?.message ?? error);
    errors.set(message, (errors.get(message) ?? 0) + 1);
    failed += 1;
  }
  if (lines.length >= 100) flush();
}
flush();
const spent = cpu() - start;
closeSync(out);
const [error = null] = [...errors].sort((a, b) => b[1] - a[1])[0] ?? [];
console.log(JSON.stringify({ made, failed, cpu: spent, prepare: 0, error }));
