// Judges instances with AJV, for `Ajv`.
//
// One JSON value a line, in and out. A request either compiles a schema under a key, or brings a
// batch of instances for a key, or forgets a key; all but the last are answered under their id.
// The main thread only moves lines, so that it sees the end of its input, and ends, even while an
// instance keeps AJV busy for ever.
'use strict';

const { Worker } = require('node:worker_threads');

function judge() {
  const { createRequire } = require('node:module');
  const path = require('node:path');
  const { parentPort, workerData } = require('node:worker_threads');

  // More errors than anybody reads; an array of wrong items has one each.
  const MOST_ERRORS = 1000;
  const CLASSES = {
    4: 'ajv-draft-04',
    6: 'ajv',
    7: 'ajv',
    '2019-09': 'ajv/dist/2019',
    '2020-12': 'ajv/dist/2020',
  };

  const load = createRequire(path.join(path.resolve(workerData), 'package.json'));
  const referees = new Map();
  const schemas = new Map();

  parentPort.on('message', (line) => {
    const request = JSON.parse(line);
    if (request.forget !== undefined) schemas.delete(request.forget);
    else if (request.instances) reply({ id: request.id, results: check(request) });
    else reply({ id: request.id, ...prepare(request) });
  });
  reply(greet());

  function reply(answer) {
    parentPort.postMessage(JSON.stringify(answer));
  }

  function greet() {
    try {
      const { version } = load('ajv/package.json');
      if (version.startsWith('8.')) {
        for (const name of [...Object.values(CLASSES), 'ajv-formats']) load(name);
      }
      return { version };
    } catch (error) {
      return { missing: error.message.split('\n')[0] };
    }
  }

  function prepare({ key, draft, formats, schema, bundled, base, entrance, resources }) {
    const pointers = new Map();
    try {
      const ajv = create(draft, formats);
      for (const [uri, resource] of resources) {
        index(resource, '', pointers);
        if (!ajv.schemas[uri] && !ajv.refs[uri]) ajv.addSchema(resource, uri);
      }
      if (bundled) {
        // Each definition has the pointer into the user's document for a name.
        const { definitions } = schema;
        for (const pointer of Object.keys(definitions)) index(definitions[pointer], pointer, pointers);
      } else {
        index(schema, '', pointers);
        const hasOwnDialect = resources.some(([uri]) => uri === schema.$schema);
        (hasOwnDialect ? ajv : referee(draft, formats)).validateSchema(schema, true);
      }
      schemas.set(key, { pointers, validate: compile(ajv, schema, base, entrance) });
      return {};
    } catch (error) {
      return { refused: String(error.message) };
    }
  }

  // The instance that checks schemas against the meta-schema of their draft, compiled once.
  function referee(draft, formats) {
    const name = `${draft} ${formats}`;
    if (!referees.has(name)) referees.set(name, create(draft, formats));
    return referees.get(name);
  }

  function create(draft, formats) {
    const Ajv = load(CLASSES[draft]).default;
    const ajv = new Ajv({
      allErrors: true,
      logger: false,
      strict: false,
      validateFormats: formats,
      validateSchema: false,
      // Errors then say which schema object they come from.
      verbose: true,
    });
    if (draft === '6') ajv.addMetaSchema(load('ajv/dist/refs/json-schema-draft-06.json'));
    if (formats) load('ajv-formats').default(ajv, { mode: 'full' });
    return ajv;
  }

  function compile(ajv, schema, base, entrance) {
    if (base === null) return ajv.compile(schema);
    const { schemaId } = ajv.opts;
    if (typeof schema === 'object' && typeof schema[schemaId] === 'string') {
      // AJV does not resolve the identifier of a root.
      schema[schemaId] = new URL(schema[schemaId], base).href;
      base = schema[schemaId];
    }
    ajv.addSchema(schema, base);
    if (entrance === null) return ajv.getSchema(base);
    return ajv.compile({ $ref: base.replace(/#.*/, '') + '#' + entrance });
  }

  function check({ key, instances }) {
    const { pointers, validate } = schemas.get(key);
    return instances.map((instance) => {
      try {
        return validate(instance) ? [] : describe(validate.errors, pointers);
      } catch (error) {
        return { failed: String(error.message) };
      }
    });
  }

  function describe(errors, pointers) {
    const described = [];
    let names = [];
    for (const error of errors) {
      if (described.length === MOST_ERRORS) break;
      const { instancePath: instance, keyword, params, propertyName } = error;
      const one = { instance, keyword, schema: pointerOf(error, pointers), params };
      if (keyword === 'propertyNames') {
        one.name = names.find(([name]) => name === params.propertyName)?.[1];
        names = [];
      } else if (propertyName !== undefined) {
        // What is wrong with a name comes before the `propertyNames` it belongs to.
        names.push([propertyName, one]);
        continue;
      }
      described.push(one);
    }
    return described;
  }

  // AJV's own paths start wherever it began to compile, so the schema object is the better guide.
  function pointerOf({ keyword, parentSchema, schemaPath }, pointers) {
    const parent = pointers.get(parentSchema);
    if (parent !== undefined) return parent + '/' + keyword;
    const pointer = schemaPath.slice(schemaPath.indexOf('#') + 1);
    try {
      return decodeURIComponent(pointer).replace(/\/false schema$/, '');
    } catch {
      return pointer;
    }
  }

  function index(root, start, pointers) {
    const pending = [[root, start]];
    while (pending.length > 0) {
      const [value, pointer] = pending.pop();
      if (typeof value !== 'object' || value === null) continue;
      pointers.set(value, pointer);
      for (const key of Object.keys(value)) {
        const escaped = key.replaceAll('~', '~0').replaceAll('/', '~1');
        pending.push([value[key], pointer + '/' + escaped]);
      }
    }
  }
}

const worker = new Worker(`(${judge})()`, {
  eval: true,
  // AJV recurses over schemas and instances.
  resourceLimits: { stackSizeMb: 16 },
  workerData: process.argv[1],
});
worker.on('message', (line) => process.stdout.write(line + '\n'));
worker.on('error', (error) => {
  process.stderr.write(`${error.stack}\n`, () => process.exit(1));
});
process.stdout.on('error', () => process.exit(1));
process.stdin.on('end', () => process.exit(0));

// Not `readline`: it breaks lines at U+2028 too, which JSON strings may hold.
let rest = [];
process.stdin.on('data', (chunk) => {
  let from = 0;
  for (let at; (at = chunk.indexOf(10, from)) >= 0; from = at + 1) {
    rest.push(chunk.subarray(from, at));
    worker.postMessage(Buffer.concat(rest).toString());
    rest = [];
  }
  rest.push(chunk.subarray(from));
});
