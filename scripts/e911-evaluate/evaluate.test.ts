import { noFollowUps } from '../../server/src/engines/street-data/index.ts'
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { DEMO_DATASET, demoTownCsv } from '../../server/seed/town.ts'
import { FORMATS } from '../../server/src/engines/street-data/import/formats/index.ts'
import { importDataset, type ImportOptions } from '../../server/src/engines/street-data/import/importer.ts'
import { readRecords } from '../../server/src/engines/street-data/import/read.ts'
import { postalData } from '../../server/src/engines/addresses/postal/data.ts'
import { withFile } from '../../server/src/engines/street-data/testing/import.ts'
import { localValidator } from '../../server/src/engines/addresses/validators/local.ts'
import { testDatabase } from '../../server/test/support/database.ts'
import { Random } from './random.ts'
import { Sampler } from './sample.ts'
import { closure, runTrials, TRIALS, trialNames } from './trials.ts'
import { activeStreets } from '../../server/src/engines/street-data/lookup-store.ts'

/** Real street data that is not part of the project; its tests are skipped where the files are absent. */
const SAMPLES = path.resolve(import.meta.dirname, '../../../shared/data/e911')
const sample = (name: string) => path.join(SAMPLES, name)

const ADDRESSES = 250

type Source = Pick<ImportOptions, 'file' | 'format'> & Partial<ImportOptions>

async function evaluate(t: TestContext, source: Source): Promise<void> {
  const { pool, db } = await testDatabase(t)
  const options: ImportOptions = {
    name: 'evaluated',
    vintage: '1',
    activate: true,
    now: new Date(),
    follow_ups: noFollowUps,
    ...source,
  }
  await importDataset(pool, options)
  const sampler = new Sampler(ADDRESSES, new Random(1), options, postalData())
  await readRecords(options, (get) => {
    sampler.take(FORMATS[options.format], get)
    return undefined
  })
  const truths = sampler.addresses()
  assert.equal(truths.length, ADDRESSES)
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const closed = closure()
  for (const name of trialNames()) {
    const { trials, good, misses } = await runTrials(name, truths, validator, new Random(2), closed)
    assert.ok(
      good >= TRIALS[name].least * trials,
      `${name}: ${good} of ${trials}\n${JSON.stringify(misses.slice(0, 3), null, 1)}`,
    )
  }
  assert.ok(closed.resubmitted > 100)
  assert.deepEqual(closed.refused, [])
  assert.deepEqual(closed.invented, [])
}

describe('every share is reached, and every alternative accepted when it is resubmitted,', () => {
  test('in the demo towns', (t) =>
    withFile(demoTownCsv(), (file) =>
      evaluate(t, { file, format: DEMO_DATASET.format, authority: DEMO_DATASET.authority }),
    ))

  const real: [string, Source & { file: string }][] = [
    ['a county of Montana', { file: sample('tl_2021_30059_addrfeat.dbf'), format: 'tiger-addrfeat' }],
    ['a county of North Carolina', { file: sample('tl_2020_37143_edges.zip'), format: 'tiger-edges' }],
    [
      'Winnipeg',
      { file: sample('winnipeg_addresses.txt.gz'), format: 'lines', city: 'Winnipeg', state: 'MB', country: 'CA' },
    ],
  ]
  for (const [where, source] of real) {
    const skip = existsSync(source.file) ? false : `${source.file} is absent`
    test(`in ${where}`, { skip }, (t) => evaluate(t, source))
  }
})
