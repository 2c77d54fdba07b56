/**
 * Measures how addresses of a source are validated by a service that has the source loaded. The truth is the source's own
 * fields, compared as text by this program's own readers; the service is used by its HTTP API alone. Exits with status 1 when
 * an address with a wrong number, town, ZIP code or street was accepted, or another target failed.
 *
 *     npm run e911:evaluate -- FILE --format FORMAT [--columns number=HOUSE,street=NAME+TYPE,…] [--import name=value&…]
 *
 * Starts a service in demo mode with a folder of its own, or uses the one of --url.
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
    [--columns number=HOUSE,street=PRE+NAME+TYPE,city=TOWN,zip=ZIP]   what its columns mean; known for usual formats
    [--import columns=…&authority=…]                                  further parameters of the import
    [--state XX] [--country US|CA] [--city NAME]                      what the file does not say itself
    [--addresses 1000] [--seed 1] [--examples 3] [--json]
    [--min-level street]                                              E911_MIN_LEVEL of the service
    [--url URL --key ACCESS:SECRET --operator-key ACCESS:SECRET]      a service that runs`

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
if (file === undefined || format === undefined) refuseArguments('Name the file, and its format with --format.', USAGE)

const defaults: Defaults = { city: values.city, state: values.state?.toUpperCase(), country: values.country }
const records = readRecords(file)
const source = new Source(records, columnsOf(format, values.columns), defaults, new Gazetteer())
const { service, stop } = await opened()
try {
  // a line has no format of its own over HTTP
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

/** As the import has it, unless it is told otherwise. */
function isIndicative(): boolean {
  const authority = new URLSearchParams(values.import).get('authority')
  return authority === null ? !/^(msag|nena)-/.test(format ?? '') : authority === 'indicative'
}

function keysOf(text: string | undefined): Keys {
  const [access_key, secret_key] = (text ?? '').split(':')
  if (!access_key || !secret_key) throw new Error('With --url, give --key and --operator-key as ACCESS:SECRET.')
  return { access_key, secret_key }
}
