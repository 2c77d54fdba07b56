/**
 * Loads street data and manages datasets: `npm run e911:import -- --help`.
 *
 * Uses the database of --database or DATABASE_URL, or the embedded one in DEMARC_DATA, which it starts unless the service is
 * running.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  activateDataset,
  coverageByCounty,
  coverageByState,
  type Dataset,
  dropDataset,
  findDataset,
  importDataset,
  type ImportProgress,
  listDatasets,
} from '../../server/src/engines/street-data/index.ts'
import { followUps } from '../../server/src/e911/index.ts'
import { CommandRefused, readCommand, USAGE, type Command, type Load } from './command.ts'
import { openDatabase, sqlState, type DatabaseHandle } from '../../server/src/platform/db.ts'
import { startPostgres } from '../../server/src/engines/postgres/index.ts'
import { claimFolder } from '../../server/src/platform/folder-claim.ts'
import { silentLog } from '../../server/src/platform/postgres/log.ts'

type Opened = Pick<DatabaseHandle, 'db' | 'pool'>

const now = new Date()
const stop = new AbortController()
// aborting drops the staging tables; after a kill, the same command or the worker's job does
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop.abort(new Error('Stopped. Run the same command to start over.')))

try {
  const command = readCommand(process.argv.slice(2), now.toISOString().slice(0, 10))
  if (command.do === 'help') console.log(USAGE)
  else process.exitCode = await withDatabase(command.database, (database) => run(database, command))
} catch (error) {
  console.error(reason(error))
  process.exitCode = error instanceof CommandRefused ? 2 : 1
}

async function withDatabase<T>(url: string | undefined, fn: (database: Opened) => Promise<T>): Promise<T> {
  const { connection, close } = await connectionOf(
    url ?? process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL'],
  )
  const database = openDatabase({ connection, log: silentLog, application_name: 'demarc-e911-import' })
  try {
    return await fn(database)
  } finally {
    await database.close()
    await close()
  }
}

async function connectionOf(url: string | undefined): Promise<{ connection: string; close: () => Promise<void> }> {
  if (url !== undefined && url !== '') return { connection: url, close: () => Promise.resolve() }
  const data_dir = path.resolve(process.env['DEMARC_DATA'] ?? 'data', 'postgres')
  if (!existsSync(data_dir))
    throw new CommandRefused(
      'No database found. Give --database, or set DATABASE_URL, or DEMARC_DATA for the embedded database.',
    )
  const release = await claimFolder(path.dirname(data_dir), { log: silentLog, onLost: () => process.exit(1) })
  const server = await startPostgres({ data_dir, log: silentLog })
  return { connection: server.url, close: () => server.stop().finally(release) }
}

/** The message for the terminal, which a failed dataset also records. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  // undefined_table, undefined_column
  if (['42P01', '42703'].includes(sqlState(error) ?? ''))
    return 'The database is from another version of Demarc. Start the service once to migrate it.'
  if (!(error instanceof Error)) return String(error)
  const unreachable = 'syscall' in error && error.syscall === 'connect'
  return unreachable ? `Cannot connect to the database: ${error.message}.` : error.message
}

async function run({ db, pool }: Opened, command: Exclude<Command, { do: 'help' }>): Promise<number> {
  switch (command.do) {
    case 'list':
      for (const dataset of await listDatasets(db)) console.log(line(dataset))
      return 0
    case 'coverage':
      await showCoverage(db, command.state)
      return 0
    case 'activate':
      return await activateById(db, command)
    case 'drop':
      return (await dropDataset(db, command.id, now, followUps))
        ? succeeded(`Dataset ${command.id} is deleted. The service's worker clears its streets.`)
        : refused(`There is no dataset ${command.id}. See --list.`)
    case 'load':
      return await load(pool, command)
  }
}

/** Prints the coverage of the active data by state, or by county of one state. */
async function showCoverage(db: Opened['db'], state: string | undefined): Promise<void> {
  const states = await coverageByState(db)
  if (states.length === 0) console.log('No street data is active. Addresses are only validated by postal code.')
  if (state !== undefined) for (const county of await coverageByCounty(db, state)) console.log(countyLine(county))
  else
    for (const { country, state: of, datasets, places, streets } of states)
      console.log(
        `${country} ${of}: ${counted(streets, 'street')} in ${counted(places, 'place')}, ${counted(datasets, 'dataset')}`,
      )
}

function countyLine(county: Awaited<ReturnType<typeof coverageByCounty>>[number]): string {
  const { fips, name, state, zip_codes, covered, partial, thin, without_data, streets } = county
  const others = Object.entries({ partial, thin, 'without data': without_data })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `, ${count} ${what}`)
  const title = `${fips ?? '-----'} ${name ?? 'Unknown county'}, ${state}`
  return `${title}: ${covered} of ${counted(zip_codes, 'ZIP code')} covered${others.join('')}; ${counted(streets, 'street')}`
}

async function activateById(db: Opened['db'], { id, force }: { id: number; force: boolean }): Promise<number> {
  const activation = await activateDataset(db, id, { now, follow_ups: followUps, force })
  if (activation === 'active') return succeeded(`Dataset ${id} is active.`)
  if (activation === 'not loaded') return refused(`Dataset ${id} is not loaded. See --list.`)
  const dataset = await findDataset(db, id)
  return refused(`Dataset ${id} is held. If this is expected, activate it with --force:\n${heldReasons(dataset)}`)
}

const heldReasons = (dataset: Dataset | undefined) => (dataset?.report?.held ?? []).map((one) => `  ${one}`).join('\n')

async function load(pool: DatabaseHandle['pool'], input: Load): Promise<number> {
  const onProgress = ({ progress, rows_read, rows_skipped }: ImportProgress) =>
    console.error(`${Math.floor(progress * 100)} %, ${rows_read} rows read, ${rows_skipped} skipped`)
  const { dataset, repeated, seconds } = await importDataset(pool, {
    ...input,
    now,
    follow_ups: followUps,
    signal: stop.signal,
    onProgress,
  })
  console.log(line(dataset))
  console.log(
    repeated
      ? `  already loaded, so the file was not read. For other data, use another --vintage, or run --drop-id ${dataset.id} first.`
      : `  loaded in ${seconds.toFixed(1)} s`,
  )
  for (const fact of reportLines(dataset)) console.log(`  ${fact}`)
  if (dataset.status === 'held') {
    console.log(`  held: activate it with --activate-id ${dataset.id} --force\n${heldReasons(dataset)}`)
    if (input.activate) return 1
  }
  if (dataset.status === 'loaded') console.log(`  not active yet: run --activate-id ${dataset.id}`)
  return 0
}

/** The report in short lines. */
function reportLines({ report, kind }: Dataset): string[] {
  if (!report) return []
  const { without, places, suffixes, columns, compared_with, parity, dropped, contradictions, overlap } = report
  const share = (part: number) => `${Math.round(part * 1000) / 10} %`
  const list = (facts: Record<string, number>) =>
    Object.entries(facts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  return [
    ...dropped.map((one) => `not loaded, ${findingText(one)}`),
    ...(overlap === null || overlap.lost === 0
      ? []
      : [
          `warning: ${overlap.lost} of ${overlap.numbers} numbers of ${overlap.datasets.join(', ')} no longer count, because authoritative data of the place lacks them: ${overlap.examples.join('; ')}`,
        ]),
    ...contradictions.map((one) => `contradicts the postal data, ${findingText(one)}`),
    `${kind === 'point' ? 'numbers' : 'ranges'} without suffix ${share(without.suffix)}, direction ${share(without.direction)}, city ${share(without.city)}, postal code ${share(without.postal_code)}`,
    `places: ${list(places)}`,
    ...(parity ? [`sides of the street: ${list(parity)}`] : []),
    ...suffixes.map(
      ({ written, taken_for, streets }) => `${written} was read as ${taken_for} (${counted(streets, 'street')})`,
    ),
    ...(columns.not_read.length > 0 ? [`columns not read: ${columns.not_read.join(', ')}`] : []),
    ...(Object.keys(columns.placeholders).length > 0 ? [`literal NULL or N/A: ${list(columns.placeholders)}`] : []),
    ...(compared_with
      ? [
          `compared with ${compared_with.vintage}: ${compared_with.streets.lost} streets lost, ${compared_with.streets.gained} gained; ${compared_with.places.lost} places lost, ${compared_with.places.gained} gained`,
        ]
      : []),
  ]
}

function findingText({ part, reason, count, examples }: NonNullable<Dataset['report']>['dropped'][number]): string {
  return `${counted(count, part)}: ${reason}. ${examples[0] ?? ''}`
}

function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

function line(dataset: Dataset): string {
  const { id, name, vintage, format, authority, status, progress, rows_read, rows_skipped, streets, ranges, failure } =
    dataset
  const state = status === 'loading' ? `loading, ${Math.floor(progress * 100)} %` : status
  const counts = `${rows_read} rows read, ${rows_skipped} skipped, ${streets} streets, ${ranges} ranges or numbers`
  return `${id} ${name} ${vintage} (${format}, ${authority}): ${state}${failure ? `, ${failure}` : ''}; ${counts}`
}

function succeeded(message: string): number {
  console.log(message)
  return 0
}

function refused(message: string): number {
  console.error(message)
  return 1
}
