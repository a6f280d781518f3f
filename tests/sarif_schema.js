// Validates one SARIF file: against the 2.1.0 schema, and against what GitHub code scanning needs beyond it.
'use strict';

const fs = require('fs');
const path = require('path');
const Ajv = require('ajv/dist/2020');
const addFormats = require('ajv-formats');

const schemaFile = path.join(
  path.dirname(require.resolve('@microsoft/sarif-multitool-linux/package.json')), 'sarif-2.1.0.json');

function schemaErrors(log) {
  const ajv = new Ajv({strict: false, allErrors: true});
  addFormats(ajv);
  const validate = ajv.compile(JSON.parse(fs.readFileSync(schemaFile, 'utf8')));
  return validate(log) ? [] : validate.errors.map((e) => `${e.instancePath || '/'} ${e.message}`);
}

function resultErrors(result, index, rules) {
  const errors = [];
  const need = (holds, what) => holds || errors.push(`result ${index}: ${what}`);
  need(result.message && result.message.text, 'message.text is missing');
  need(rules[result.ruleIndex] && rules[result.ruleIndex].id === result.ruleId, 'ruleIndex does not lead to ruleId');
  need(result.locations && result.locations.length === 1, 'needs exactly one location');
  const place = ((result.locations || [])[0] || {}).physicalLocation || {};
  for (const key of ['startLine', 'startColumn', 'endLine', 'endColumn'])
    need(place.region && place.region[key] >= 1, `region.${key} is missing`);
  const uri = (place.artifactLocation || {}).uri || '';
  need(/^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$/.test(uri), `uri is not percent-encoded: ${uri}`);
  const prints = result.partialFingerprints || {};
  need(/^[0-9a-f]+:\d+$/.test(prints.primaryLocationLineHash || ''), 'primaryLocationLineHash is missing');
  return errors;
}

function codeScanningErrors(log) {
  const errors = [];
  if (!log.$schema)
    errors.push('$schema is missing');
  for (const run of log.runs || []) {
    const driver = run.tool.driver;
    if (driver.name !== 'ponglint')
      errors.push(`the driver's name is ${driver.name}`);
    for (const rule of driver.rules || [])
      for (const key of ['shortDescription', 'fullDescription', 'help'])
        if (!(rule[key] && rule[key].text))
          errors.push(`rule ${rule.id}: ${key}.text is missing`);
    if (!Array.isArray(run.results))
      errors.push('results are missing (they must be there even when empty)');
    (run.results || []).forEach((r, i) => errors.push(...resultErrors(r, i, driver.rules || [])));
  }
  return errors;
}

const log = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const errors = [...schemaErrors(log), ...codeScanningErrors(log)];
errors.slice(0, 20).forEach((e) => console.error(`  ${e}`));
console.log(`${path.basename(process.argv[2])}: ${log.runs[0].results.length} results, ${errors.length} errors`);
process.exit(errors.length ? 1 : 0);
