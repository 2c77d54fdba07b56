import { parseArgs } from 'node:util'
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

/**
 * `npm run bench`: everything in its short form, under ten minutes. `-- NAME …` runs only these, `--long` the long form,
 * `--write` keeps the results and makes the pages that show them; `-- pages` only makes the pages. See bench/README.md.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    rows: { type: 'string' },
    streets: { type: 'string' },
  },
})
const form: Form = values.long ? 'long' : 'short'
const rows = values.rows === undefined ? undefined : Number(values.rows)
const benches: Record<string, () => Promise<void>> = {
  cli: () => benchCli(form),
  numbers: () => benchNumbers(form),
  operations: benchOperations,
  'port-orders': benchPortOrders,
  exports: () => benchExports(rows ?? { short: 150_000, long: 10_000_000 }[form], form),
  'export-stages': () => benchExportStages(rows ?? { short: 200_000, long: 1_000_000 }[form]),
  ingest: () => benchIngest(rows ?? { short: 50_000, long: 200_000 }[form]),
  e911: () => benchE911(Number(values.streets ?? { short: 50_000, long: 5_000_000 }[form]), form),
  start: benchStart,
  client: benchClient,
  writes: benchWrites,
  settings: () => benchSettings(form, rows),
  portal: () => benchPortal(form),
  ...Object.fromEntries(Object.entries(growth).map(([name, bench]) => [name, () => bench(form)])),
  'growth-exports': () => growth['growth-exports'](form, rows),
}

if (positionals[0] === 'pages') writePages()
else for (const name of chosen(positionals)) await run(name)

function chosen(names: readonly string[]): string[] {
  if (names.length === 0) return Object.keys(benches)
  return names.flatMap((name) => (name === 'growth' ? Object.keys(growth) : [name]))
}

async function run(name: string): Promise<void> {
  const bench = benches[name]
  if (!bench) throw new Error(`There is no benchmark ${name}. There are: ${Object.keys(benches).join(', ')}.`)
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
