import { readArguments, refuseArguments } from '../../acceptance/support/arguments.ts'
import { benchCli } from './cli.ts'
import { benchClient } from './client.ts'
import { benchE911 } from './e911.ts'
import { benchExportStages } from './export-stages.ts'
import { benchExports } from './exports.ts'
import { growth } from './growth/index.ts'
import { benchIngest } from './ingest.ts'
import { benchNumbers } from './numbers.ts'
import { benchOperations } from './operations.ts'
import { writePages } from './pages.ts'
import { benchPortOrders } from './port-orders.ts'
import { benchPortal } from './portal.ts'
import { takeSections } from './report.ts'
import { keepResult, makeResult, type Form } from './results.ts'
import { benchSettings } from './settings.ts'
import { benchStart } from './start.ts'
import { benchWrites } from './writes.ts'

const USAGE = `npm run bench -- [NAME …] [options]: everything in its short form, under ten minutes, or only these.

  --long                the long form: minutes to an hour each
  --write               keeps the results, and makes the pages that show them
  --rows N              call records, where a benchmark has them
  --streets N           streets, where a benchmark has them
  --help                this text

npm run bench -- pages: makes the pages of the kept results again. See bench/README.md.`

const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rows: { type: 'string' },
    streets: { type: 'string' },
  },
})
const form: Form = values.long ? 'long' : 'short'
const rows = countOf('rows')
const streets = countOf('streets')
const benches: Record<string, () => Promise<void>> = {
  cli: () => benchCli(form),
  numbers: () => benchNumbers(form),
  operations: benchOperations,
  'port-orders': benchPortOrders,
  exports: () => benchExports(rows ?? { short: 100_000, long: 10_000_000 }[form], form),
  'export-stages': () => benchExportStages(rows ?? { short: 100_000, long: 1_000_000 }[form]),
  ingest: () => benchIngest(rows ?? { short: 50_000, long: 200_000 }[form]),
  e911: () => benchE911(streets ?? { short: 50_000, long: 5_000_000 }[form], form),
  start: benchStart,
  client: benchClient,
  writes: benchWrites,
  settings: () => benchSettings(form, rows),
  portal: () => benchPortal(form),
  ...Object.fromEntries(Object.entries(growth).map(([name, bench]) => [name, () => bench(form)])),
  'growth-exports': () => growth['growth-exports'](form, rows),
}

if (positionals[0] === 'pages') writePages()
else for (const [name, bench] of chosen(positionals)) await run(name, bench)

function countOf(option: 'rows' | 'streets'): number | undefined {
  const text = values[option]
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text))
    refuseArguments(`--${option} is a number of at most nine digits, not ${text}.`, USAGE)
  return Number(text)
}

/** All of these, or none: a name that does not exist is refused before anything runs. */
function chosen(names: readonly string[]): [string, () => Promise<void>][] {
  if (names.length === 0) return Object.entries(benches)
  return names
    .flatMap((name) => (name === 'growth' ? Object.keys(growth) : [name]))
    .map((name) => {
      const bench = benches[name]
      if (!bench)
        refuseArguments(`There is no benchmark ${name}. There are: ${Object.keys(benches).join(', ')}.`, USAGE)
      return [name, bench]
    })
}

async function run(name: string, bench: () => Promise<void>): Promise<void> {
  console.log(`\n## ${name}, ${form} form`)
  const began_ms = performance.now()
  await bench()
  const sections = takeSections()
  if (!values.write) return
  const sized = (['rows', 'streets'] as const).flatMap((o) => (values[o] === undefined ? [] : [` --${o}=${values[o]}`]))
  const command = `npm run bench -- ${name}${values.long ? ' --long' : ''}${sized.join('')}`
  keepResult(makeResult({ bench: name, form, command, sections, began_ms }))
  writePages()
}
