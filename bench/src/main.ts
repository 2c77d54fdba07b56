import { readArguments, refuseArguments } from '../../acceptance/support/arguments.ts'
import { benchCapacity } from './capacity.ts'
import { benchE911 } from './e911.ts'
import { benchExports } from './exports.ts'
import { growth } from './growth/index.ts'
import { benchIngest } from './ingest.ts'
import { benchNumberSearch } from './number-search.ts'
import { benchOperations } from './operations.ts'
import { benchPortal } from './portal.ts'
import { takeTables } from './report.ts'
import { recordResult, writePages } from './results.ts'
import { benchShards } from './shards.ts'
import { benchStart } from './start.ts'

const USAGE = `npm run bench -- [NAME …] [options]: runs all benchmarks, or the named ones. See bench/README.md.

  operations, exports, ingest, shards, capacity, e911, start, numbers, portal
  growth: growth-numbers, growth-inventory, growth-exports, growth-orders, growth-deliveries, growth-events
  page                  fills docs/operate/performance.md and capacity.md from the recorded results

  --long                larger data and longer runs: minutes to an hour each
  --write               records the results in bench/results.json and on the pages
  --rows N              number of call records (exports, ingest, shards, capacity, growth-exports)
  --streets N           number of streets (e911)
  --help                this text`

const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rows: { type: 'string' },
    streets: { type: 'string' },
  },
})
const { long } = values
const rows = countOf('rows')
const streets = countOf('streets')
const benches: Record<string, () => Promise<void>> = {
  operations: benchOperations,
  exports: () => benchExports(rows ?? (long ? 10_000_000 : 100_000), long),
  ingest: () => benchIngest(rows ?? (long ? 200_000 : 50_000)),
  shards: () => benchShards(rows ?? (long ? 10_000_000 : 100_000)),
  capacity: () => benchCapacity(rows ?? (long ? 100_000_000 : 1_000_000)),
  e911: () => benchE911(streets ?? (long ? 5_000_000 : 50_000), long),
  start: benchStart,
  numbers: () => benchNumberSearch(long),
  portal: () => benchPortal(long),
  ...Object.fromEntries(Object.entries(growth).map(([name, bench]) => [name, () => bench(long)])),
  'growth-exports': () => growth['growth-exports'](long, rows),
}

if (positionals[0] === 'page') writePages()
else for (const [name, bench] of chosen(positionals)) await run(name, bench)

function countOf(option: 'rows' | 'streets'): number | undefined {
  const text = values[option]
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text))
    refuseArguments(`--${option} must be a whole number of at most nine digits, not ${text}.`, USAGE)
  return Number(text)
}

/** Refuses an unknown name before anything runs. */
function chosen(names: readonly string[]): [string, () => Promise<void>][] {
  const all = names.flatMap((name) => (name === 'growth' ? Object.keys(growth) : [name]))
  return (all.length === 0 ? Object.keys(benches) : all).map((name) => {
    const bench = benches[name]
    if (!bench) refuseArguments(`Unknown benchmark ${name}. Choose from ${Object.keys(benches).join(', ')}.`, USAGE)
    return [name, bench]
  })
}

async function run(name: string, bench: () => Promise<void>): Promise<void> {
  console.log(`\n## ${name}`)
  await bench()
  const tables = takeTables()
  if (!values.write) return
  const sized = (['rows', 'streets'] as const).flatMap((o) => (values[o] === undefined ? [] : [` --${o}=${values[o]}`]))
  recordResult(name, `npm run bench -- ${name}${long ? ' --long' : ''}${sized.join('')}`, tables)
}
