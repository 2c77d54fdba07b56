import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as api from '@demarc/client'
import { eventually } from '../../../test/support/eventually.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { openAddresses } from '../../engines/street-data/testing/import.ts'

/** What the operator sees of street data before and after it counts. */

const server = await startTestServer({ worker: true })
const { operator } = server

type Query = api.Query<typeof api.e911Datasets.importE911Dataset>

/** Sends a file and waits until it is loaded. */
async function load(query: Omit<Query, 'format'> & { format?: Query['format'] }, body: string) {
  const sent = await operator.importE911Dataset({
    query: { format: 'openaddresses-csv', ...query },
    body,
    content_type: 'text/csv',
  })
  const { id } = sent.body.data
  await eventually(async () => (await dataset(id)).status !== 'loading')
  return id
}

const dataset = async (dataset_id: string) =>
  (await operator.getE911Dataset({ params: { dataset_id } })).body.data.attributes

const streets = (count: number, place: string) =>
  Array.from({ length: count }, (_, i) => `${10 + i} Mallow${String.fromCharCode(97 + i)} St|${place}`)
const COUNTY = ['Marlton|NJ|08053', 'Mount Laurel|NJ|08054', 'Burlington|NJ|08016'].flatMap((one) => streets(26, one))

test('the places of a dataset are listed with how well it covers them', async () => {
  const stray = '7 Haddon Ave|Cherry Hill|NJ|08002'
  const id = await load(
    { name: 'Places', vintage: '1' },
    openAddresses(...COUNTY, stray, ...streets(12, 'Riverton|NJ|08077')),
  )
  const list = async (query: object) =>
    (await operator.listE911DatasetPlaces({ params: { dataset_id: id }, query })).body
  assert.deepEqual((await list({ coverage: 'thin' })).data, [
    {
      country: 'US',
      state: 'NJ',
      postal: '08002',
      city: 'CHERRY HILL',
      streets: 1,
      numbers: 1,
      share: (await list({ coverage: 'thin' })).data[0]?.share,
      coverage: 'thin',
    },
  ])
  const all = (await list({})).data.map(({ postal, coverage }) => `${postal} ${coverage}`)
  assert.deepEqual(all, ['08002 thin', '08016 covered', '08053 covered', '08054 covered', '08077 covered'])
  const page = await list({ limit: 2, offset: 1 })
  assert.equal(page.data.length, 2)
  assert.match(page.links.next ?? '', /offset=3/)
})
