import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { startTestServer } from '../../server/test/support/server.ts'
import { columnsOf } from './columns.ts'
import { evaluate } from './evaluate.ts'
import { Gazetteer } from './gazetteer.ts'
import { linesAsCsv, readRecords } from './records.ts'
import { reportText, targetsOf } from './report.ts'
import { load } from './service.ts'
import { type Defaults, Source } from './source.ts'

/** Real street data that is not part of the project; its tests are skipped where the files are absent. */
const FOLDER = path.resolve(import.meta.dirname, '../../../shared/data/e911')
const ADDRESSES = 60
const TARGETS = ['correct', 'restyled', 'one-letter typo', 'correction accepted when sent back']

const sources: [string, string, string, Defaults][] = [
  ['a county of Montana', 'tl_2021_30059_addrfeat.dbf', 'tiger-addrfeat', {}],
  ['a county of North Carolina', 'tl_2020_37143_edges.zip', 'tiger-edges', {}],
  ['Winnipeg', 'winnipeg_addresses.txt.gz', 'lines', { city: 'Winnipeg', state: 'MB', country: 'CA' }],
]

const server = await startTestServer({ worker: true })
after(() => server.close())
const gazetteer = new Gazetteer()

for (const [where, name, format, defaults] of sources) {
  const file = path.join(FOLDER, name)
  test(`targets are reached in ${where}`, { skip: existsSync(file) ? false : `${file} is absent` }, async () => {
    const records = readRecords(file)
    const source = new Source(records, columnsOf(format, undefined), defaults, gazetteer)
    const keys = { account: server.account.credentials, operator: server.operator_credentials }
    const service = { base_url: server.base_url, keys }
    const isLines = format === 'lines'
    await load(service, isLines ? new Blob([linesAsCsv(records)]) : file, {
      name,
      vintage: '1',
      format: isLines ? 'openaddresses-csv' : format,
      ...Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, String(value)])),
    })
    const options = { addresses: ADDRESSES, seed: 1, examples: 2, is_indicative: true }
    const evaluation = await evaluate(service, source, options)
    assert.deepEqual(
      targetsOf(evaluation).filter(({ name, is_reached }) => TARGETS.includes(name) && !is_reached),
      [],
      reportText(evaluation),
    )
  })
}
