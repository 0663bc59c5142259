// A server that answers 200 to what express-openapi-validator accepts, and otherwise its status with the reason as JSON.
// Usage: node server.js DOCUMENT. Prints the port that it listens on, and ends with its standard input.
'use strict';
const express = require('express');
const validator = require('express-openapi-validator');

const isForm = (request) => Boolean(request.is('application/x-www-form-urlencoded', 'multipart/form-data'));

// Fields of forms are texts: only there may the validator read `1` as a number.
function validating(coerceTypes, applies) {
  const router = express.Router();
  router.use(validator.middleware({
    apiSpec: process.argv[2],
    validateApiSpec: false,
    validateRequests: { coerceTypes },
    validateResponses: false,
    validateSecurity: false,
  }));
  return (request, response, next) => (applies(request) ? router(request, response, next) : next());
}

const app = express();
// The validator itself knows which names with brackets are members and which are names.
app.set('query parser', 'simple');
app.use(express.json({ type: ['application/json', 'application/*+json'], strict: false }));
app.use(express.urlencoded({ extended: false }));
app.use((request, _response, next) => {
  const pairs = (request.headers.cookie ?? '').split('; ').filter(Boolean).map((pair) => {
    const [name, ...rest] = pair.split('=');
    return [decodeURIComponent(name), decodeURIComponent(rest.join('='))];
  });
  request.cookies = Object.fromEntries(pairs);
  next();
});
app.use(validating('array', isForm));
app.use(validating(false, (request) => !isForm(request)));
app.use((_request, response) => response.json({ accepted: true }));
app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).json({ message: error.message, errors: error.errors });
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
