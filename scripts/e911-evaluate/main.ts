/**
 * Measures how well addresses of a file of street data are validated against the same data: correct ones must be accepted,
 * changed ones must be corrected to the true address, and every alternative must be accepted when it is resubmitted. Exits
 * with status 1 when a share is not reached, an alternative is refused, or no address could be drawn.
 *
 *     npm run e911:evaluate -- FILE --format FORMAT [--state XX] [--country US|CA] [--city NAME] [--trials 1000]
 *
 * Uses a database of its own, which it removes at the end.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from './random.ts'
import { Sampler, type TrueAddress } from './sample.ts'
import {
  closure,
  runTrials,
  TRIALS,
  trialNames,
  type Closure,
  type Miss,
  type Result,
  type TrialName,
} from './trials.ts'
import { FileRefused } from '../../server/src/platform/file-text.ts'
import {
  activeStreets,
  FORMATS,
  importDataset,
  type ImportOptions,
  isFormat,
  layoutOption,
  noFollowUps,
  optionErrors,
  pairsOption,
  readRecords,
} from '../../server/src/engines/street-data/index.ts'
import { localValidator, postalData } from '../../server/src/engines/addresses/index.ts'
import { openDatabase } from '../../server/src/platform/db.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { startPostgres } from '../../server/src/engines/postgres/index.ts'
import { silentLog } from '../../server/src/platform/postgres/log.ts'

const MIGRATIONS = path.resolve(import.meta.dirname, '../../server/migrations')
const DEFAULT_TRIALS = 1_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    format: { type: 'string' },
    state: { type: 'string' },
    country: { type: 'string' },
    city: { type: 'string' },
    authority: { type: 'string' },
    columns: { type: 'string' },
    layout: { type: 'string' },
    trials: { type: 'string', default: String(DEFAULT_TRIALS) },
    seed: { type: 'string', default: '1' },
    misses: { type: 'string', default: '5' },
  },
})
const [file] = positionals
const format = values.format ?? ''
if (file === undefined || !isFormat(format))
  refuse(`usage: npm run e911:evaluate -- FILE --format ${Object.keys(FORMATS).join('|')}
    [--state XX] [--country US|CA] [--city NAME]      what the file does not say itself
    [--columns ours=theirs,…] [--layout name=first-last,…]
    [--authority authoritative|indicative] [--trials ${DEFAULT_TRIALS}] [--seed 1] [--misses 5]`)

const [trials, seed, misses] = [count('trials'), count('seed'), count('misses')]
const options: ImportOptions = {
  file,
  format,
  name: 'evaluated',
  vintage: '',
  activate: true,
  now: new Date(),
  follow_ups: noFollowUps,
  country: oneOf('country', ['US', 'CA']),
  state: values.state?.toUpperCase(),
  city: values.city,
  ...given('authority', oneOf('authority', ['authoritative', 'indicative'])),
  ...given('columns', values.columns === undefined ? undefined : pairsOption(values.columns)),
  ...given('layout', values.layout === undefined ? undefined : layoutOption(values.layout)),
}
for (const [name, errors] of Object.entries(optionErrors(format, options))) refuse(`--${name}: ${errors.join(' ')}`)

const scratch = mkdtempSync(path.join(os.tmpdir(), 'demarc-e911-'))
chmodSync(scratch, 0o711) // as root, the database server runs as another user, who must traverse it
try {
  const server = await startPostgres({
    data_dir: path.join(scratch, 'postgres'),
    settings: { fsync: 'off' },
    log: silentLog,
  })
  try {
    await evaluate(server.url)
  } finally {
    await server.stop()
  }
} catch (error) {
  if (!(error instanceof FileRefused)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}

function count(name: 'trials' | 'seed' | 'misses'): number {
  return /^\d{1,6}$/.test(values[name]) ? Number(values[name]) : refuse(`--${name}: a whole number, please.`)
}

function oneOf<const T extends string>(name: 'country' | 'authority', known: readonly T[]): T | undefined {
  const value = values[name]
  if (value === undefined) return undefined
  return known.find((one) => one === value) ?? refuse(`--${name}: one of ${known.join(', ')}.`)
}

function given<K extends string, T>(name: K, value: T | undefined): Partial<Record<K, T>> {
  const out: Partial<Record<K, T>> = {}
  if (value !== undefined) out[name] = value
  return out
}

async function evaluate(url: string): Promise<void> {
  const database = openDatabase({ connection: url, log: silentLog })
  try {
    await migrate(database.pool, MIGRATIONS, silentLog)
    const { dataset, seconds } = await importDataset(database.pool, options)
    console.log(`${dataset.rows_read} rows read, ${dataset.rows_skipped} skipped ${JSON.stringify(dataset.skipped)}`)
    console.log(`${dataset.streets} streets, ${dataset.ranges} ranges or numbers, loaded in ${seconds.toFixed(1)} s\n`)
    const truths = await sample(trials)
    console.log(`${truths.length} addresses drawn\n`)
    if (truths.length === 0) {
      console.error(
        'Nothing can be measured: no row has a street, a number, and a city or code. Give what the file does not say with --state, --country and --city.',
      )
      process.exitCode = 1
      return
    }
    const validator = localValidator({ streets: activeStreets(database.db), min_level: 'auto' })
    for (const truth of truths.slice(0, 50))
      await runTrials('correct address', [truth], validator, new Random(0), closure())
    const closed = closure()
    const results = new Map<TrialName, Result>()
    for (const name of trialNames())
      results.set(name, await runTrials(name, truths, validator, new Random(seed), closed))
    print(results, closed)
  } finally {
    await database.close()
  }
}

async function sample(size: number): Promise<readonly TrueAddress[]> {
  const sampler = new Sampler(size, new Random(seed), options, postalData())
  await readRecords(options, (get) => {
    sampler.take(FORMATS[options.format], get)
    return undefined
  })
  return sampler.addresses()
}

function print(results: Map<TrialName, Result>, closed: Closure): void {
  console.log(
    'trial                                     wanted       at least  trials    good             same another   p50 ms  p99 ms',
  )
  for (const [name, result] of results) {
    const { trials, good, unchanged, another, milliseconds } = result
    const { wanted, least } = TRIALS[name]
    const met = good >= least * trials
    if (!met) process.exitCode = 1
    console.log(
      name.padEnd(42) +
        wanted.padEnd(13) +
        (least === 0 ? '-' : percent(least)).padStart(8) +
        `${String(trials).padStart(8)}${String(good).padStart(8)}${(trials === 0 ? '-' : percent(good / trials)).padStart(10)}` +
        `${(met ? '' : ' !').padEnd(3)}${String(unchanged).padStart(4)}${String(another).padStart(8)}` +
        `${quantile(milliseconds, 0.5).padStart(9)}${quantile(milliseconds, 0.99).padStart(8)}`,
    )
  }
  console.log(`
same     the changed address has the same canonical form (not among the trials)
another  the changed address is another one of the data, by its number or a range (not among the trials)
!        less than the required share

alternatives resubmitted: ${closed.resubmitted}, refused: ${closed.refused.length}, with another number: ${closed.invented.length}`)
  for (const [name, result] of results) printMisses(name, result.misses)
  printMisses('alternatives refused', closed.refused)
  printMisses('alternatives with another number', closed.invented)
  if (closed.refused.length + closed.invented.length > 0) process.exitCode = 1
}

/** Rounded down: 99.996 % must not show as 100. */
function percent(share: number): string {
  return `${(Math.floor(share * 10_000 + 1e-6) / 100).toFixed(2)} %`
}

function printMisses(name: string, all: readonly Miss[]): void {
  if (all.length === 0) return
  console.log(`\nmisses of "${name}" (${all.length}):`)
  for (const { truth, sent, outcome } of all.slice(0, misses))
    console.log(`  truth   ${truth}\n  sent    ${sent}\n  outcome ${outcome}\n`)
}

function quantile(values: readonly number[], q: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0).toFixed(2)
}
