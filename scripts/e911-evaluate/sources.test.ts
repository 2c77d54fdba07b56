import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { DEMO_DATASET, demoTownCsv } from '../../server/seed/town.ts'
import { startTestServer } from '../../server/test/support/server.ts'
import { columnsOf } from './columns.ts'
import { evaluate } from './evaluate.ts'
import { Gazetteer } from './gazetteer.ts'
import { csvRecords, type Fields, linesAsCsv, readRecords } from './records.ts'
import { reportText, targetsOf } from './report.ts'
import { load } from './service.ts'
import { type Defaults, Source } from './source.ts'

/** The evaluation of the demo towns, and of real street data that is not part of the project: that is skipped where it is absent. */

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/data/e911')
const ADDRESSES = 40

const server = await startTestServer({ worker: true })
after(() => server.close())
const gazetteer = new Gazetteer()

interface Evaluated {
  name: string
  file: string | Blob
  format: string
  records: readonly Fields[]
  defaults?: Defaults
  authority?: 'authoritative' | 'indicative'
}

async function reachesEveryTarget(evaluated: Evaluated): Promise<void> {
  const { name, file, format, records, defaults = {}, authority = 'indicative' } = evaluated
  const source = new Source(records, columnsOf(format, undefined), defaults, gazetteer)
  const keys = { account: server.account.credentials, operator: server.operator_credentials }
  const service = { base_url: server.base_url, keys }
  const isLines = format === 'lines'
  await load(service, isLines ? new Blob([linesAsCsv(records)]) : file, {
    name,
    vintage: '1',
    format: isLines ? 'openaddresses-csv' : format,
    authority,
    ...Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, String(value)])),
  })
  const is_indicative = authority === 'indicative'
  const evaluation = await evaluate(service, source, { addresses: ADDRESSES, seed: 1, examples: 2, is_indicative })
  assert.deepEqual(
    targetsOf(evaluation).filter(({ is_reached }) => !is_reached),
    [],
    reportText(evaluation),
  )
}

test('every target is reached in the demo towns', async () => {
  const { name, format, authority } = DEMO_DATASET
  const csv = demoTownCsv()
  const records = csvRecords(csv).filter((fields) => fields.get('country') === 'US')
  await reachesEveryTarget({ name, format, authority, file: new Blob([csv]), records })
})

const real: [string, string, string, Defaults][] = [
  ['a county of Montana', 'tl_2021_30059_addrfeat.dbf', 'tiger-addrfeat', {}],
  ['a county of North Carolina', 'tl_2020_37143_edges.zip', 'tiger-edges', {}],
  ['Winnipeg', 'winnipeg_addresses.txt.gz', 'lines', { city: 'Winnipeg', state: 'MB', country: 'CA' }],
]
for (const [where, name, format, defaults] of real) {
  const file = path.join(FOLDER, name)
  test(`every target is reached in ${where}`, { skip: existsSync(file) ? false : `${file} is absent` }, () =>
    reachesEveryTarget({ name, file, format, defaults, records: readRecords(file) }),
  )
}
