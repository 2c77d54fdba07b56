/**
 * Measures how well a service validates addresses of a source that it has loaded. The truth is the source itself, read and
 * compared as text independently of the service, which is only used through its HTTP API. Exits with status 1 if an address with
 * a wrong number, town, ZIP code, or street was accepted, or another target was missed.
 *
 *     npm run e911:evaluate -- FILE --format FORMAT [--columns number=HOUSE,street=NAME+TYPE,…] [--import name=value&…]
 *
 * Starts a service in demo mode in a temporary folder, or uses the one at --url.
 */
import path from 'node:path'
import { openService } from '../../acceptance/support/service.ts'
import { readArguments, refuseArguments } from '../../acceptance/support/arguments.ts'
import { columnsOf } from './columns.ts'
import { evaluate } from './evaluate.ts'
import { Gazetteer } from './gazetteer.ts'
import { linesAsCsv, readRecords } from './records.ts'
import { reportText, targetsOf } from './report.ts'
import { type EvaluatedService, type Keys, load } from './service.ts'
import { type Defaults, Source } from './source.ts'

const USAGE = `usage: npm run e911:evaluate -- FILE --format FORMAT
    [--columns number=HOUSE,street=PRE+NAME+TYPE,city=TOWN,zip=ZIP]   meaning of the columns; known for common formats
    [--import columns=…&authority=…]                                  additional import parameters
    [--state XX] [--country US|CA] [--city NAME]                      values that the file lacks
    [--addresses 1000] [--seed 1] [--examples 3] [--json]
    [--min-level street]                                              E911_MIN_LEVEL of the service
    [--url URL --key ACCESS:SECRET --operator-key ACCESS:SECRET]      a running service`

const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    format: { type: 'string' },
    columns: { type: 'string' },
    import: { type: 'string', default: '' },
    state: { type: 'string' },
    country: { type: 'string' },
    city: { type: 'string' },
    addresses: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    examples: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    'min-level': { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
    'operator-key': { type: 'string' },
  },
})
const [file] = positionals
const { format } = values
if (file === undefined || format === undefined) refuseArguments('Give a file, and its format with --format.', USAGE)

const defaults: Defaults = { city: values.city, state: values.state?.toUpperCase(), country: values.country }
const records = readRecords(file)
const source = new Source(records, columnsOf(format, values.columns), defaults, new Gazetteer())
const { service, stop } = await opened()
try {
  // the HTTP API has no format for lines
  const isLines = format === 'lines'
  await load(service, isLines ? new Blob([linesAsCsv(records)]) : file, {
    name: `Evaluated ${path.basename(file)}`,
    vintage: new Date().toISOString(),
    format: isLines ? 'openaddresses-csv' : format,
    ...Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(new URLSearchParams(values.import)),
  })
  const evaluation = await evaluate(service, source, {
    addresses: Number(values.addresses),
    seed: Number(values.seed),
    examples: Number(values.examples),
    min_level: values['min-level'],
    is_indicative: isIndicative(),
  })
  const targets = targetsOf(evaluation)
  console.log(values.json ? JSON.stringify({ ...evaluation, targets }, null, 2) : reportText(evaluation))
  if (targets.some(({ is_reached }) => !is_reached)) process.exitCode = 1
} finally {
  await stop()
}

async function opened(): Promise<{ service: EvaluatedService; stop: () => Promise<void> }> {
  if (values.url !== undefined)
    return {
      service: {
        base_url: values.url.replace(/\/+$/, ''),
        keys: { account: keysOf(values.key), operator: keysOf(values['operator-key']) },
      },
      stop: () => Promise.resolve(),
    }
  const level = values['min-level']
  const service = await openService(level === undefined ? {} : { E911_MIN_LEVEL: level })
  return { service, stop: () => service.stop() }
}

/** The default authority of the format, unless the import overrides it. */
function isIndicative(): boolean {
  const authority = new URLSearchParams(values.import).get('authority')
  return authority === null ? !/^(msag|nena)-/.test(format ?? '') : authority === 'indicative'
}

function keysOf(text: string | undefined): Keys {
  const [access_key, secret_key] = (text ?? '').split(':')
  if (!access_key || !secret_key) throw new Error('With --url, give --key and --operator-key as ACCESS:SECRET.')
  return { access_key, secret_key }
}
