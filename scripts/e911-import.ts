/**
 * Loads street data and looks after what is loaded.
 *
 *     npm run e911:import -- FILE --format FORMAT --name NAME [--vintage 2026] [--activate] …
 *     npm run e911:import -- --list | --coverage | --activate-id ID | --drop-id ID
 *
 * Works on the database of DATABASE_URL or --database.
 */
import { parseArgs } from 'node:util'
import {
  activateDataset,
  coverageByState,
  dropDataset,
  FORMATS,
  importDataset,
  isFormat,
  listDatasets,
  type Dataset,
  type ImportProgress,
} from '../server/src/e911/index.ts'
import { openDatabase, type DatabaseHandle } from '../server/src/platform/db.ts'
import { silentLog } from '../server/src/platform/postgres/log.ts'
import { layoutOption, pairsOption } from '../server/src/e911/import/options.ts'

const USAGE = `usage: npm run e911:import -- FILE --format ${Object.keys(FORMATS).join('|')} --name NAME
    [--vintage TEXT] [--activate]                     a name has one active vintage at a time
    [--state XX] [--country US|CA] [--city NAME]      what the file does not say itself
    [--columns ours=theirs,…] [--layout name=first-last,…]
    [--authority authoritative|indicative] [--licence TEXT] [--source TEXT]
  npm run e911:import -- --list | --coverage | --activate-id ID | --drop-id ID
  in all cases: [--database URL], default DATABASE_URL`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string' },
    format: { type: 'string' },
    name: { type: 'string' },
    vintage: { type: 'string', default: '' },
    activate: { type: 'boolean', default: false },
    state: { type: 'string' },
    country: { type: 'string' },
    city: { type: 'string' },
    columns: { type: 'string' },
    layout: { type: 'string' },
    authority: { type: 'string' },
    licence: { type: 'string', default: '' },
    source: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    'activate-id': { type: 'string' },
    'drop-id': { type: 'string' },
  },
})

const connection = values.database ?? process.env['DATABASE_URL']
if (connection === undefined) stop('Which database? Set DATABASE_URL or give --database.')
const database = openDatabase({ connection, log: silentLog })
try {
  process.exitCode = await run(database)
} catch (error) {
  // whoever typed the command wants the reason; a dataset that failed keeps it too
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await database.close()
}

async function run({ pool }: DatabaseHandle): Promise<number> {
  if (values.list) {
    for (const dataset of await listDatasets(pool)) console.log(line(dataset))
    return 0
  }
  if (values.coverage) {
    for (const { country, state, datasets, places, streets } of await coverageByState(pool))
      console.log(`${country} ${state}: ${streets} streets in ${places} places, ${datasets} datasets`)
    return 0
  }
  if (values['activate-id'] !== undefined)
    return said(
      await activateDataset(pool, Number(values['activate-id']), new Date()),
      'active',
      'No such dataset is loaded.',
    )
  if (values['drop-id'] !== undefined)
    return said(await dropDataset(pool, Number(values['drop-id']), new Date()), 'dropped', 'There is no such dataset.')
  return load({ pool })
}

async function load({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<number> {
  const [file] = positionals
  const { format = '', name, country, authority } = values
  if (file === undefined || !isFormat(format) || name === undefined) stop(USAGE)
  if (country !== undefined && country !== 'US' && country !== 'CA') stop('--country is US or CA.')
  if (authority !== undefined && authority !== 'authoritative' && authority !== 'indicative')
    stop('--authority is authoritative or indicative.')
  const report = await importDataset(pool, {
    file,
    format,
    name,
    vintage: values.vintage,
    licence: values.licence,
    source: values.source,
    activate: values.activate,
    now: new Date(),
    country,
    state: values.state?.toUpperCase(),
    city: values.city,
    ...(authority === undefined ? {} : { authority }),
    ...(values.columns === undefined ? {} : { columns: pairsOption(values.columns) }),
    ...(values.layout === undefined ? {} : { layout: layoutOption(values.layout) }),
    onProgress: showProgress,
  })
  const { dataset, repeated, seconds } = report
  console.log(line(dataset))
  for (const [reason, rows] of Object.entries(dataset.skipped)) console.log(`  skipped ${rows}: ${reason}`)
  console.log(repeated ? '  had been loaded before' : `  loaded in ${seconds.toFixed(1)} s`)
  return 0
}

function showProgress({ progress, rows_read, rows_skipped }: ImportProgress): void {
  console.error(`${Math.floor(progress * 100)} %, ${rows_read} rows read, ${rows_skipped} skipped`)
}

function line(dataset: Dataset): string {
  const { id, name, vintage, format, authority, status, rows_read, rows_skipped, streets, ranges, failure } = dataset
  const counts = `${rows_read} rows read, ${rows_skipped} skipped, ${streets} streets, ${ranges} ranges or numbers`
  return `${id} ${name} ${vintage} (${format}, ${authority}): ${status}${failure ? `, ${failure}` : ''}; ${counts}`
}

function said(done: boolean, yes: string, no: string): number {
  console.log(done ? yes : no)
  return done ? 0 : 1
}

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}
