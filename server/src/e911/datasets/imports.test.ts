import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as api from '@demarc/client'
import { fieldErrors, sentence } from '../../../test/support/refusals.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { openAddresses } from '../../engines/street-data/testing/import.ts'

/** What the operator sees of street data before and after activation. */

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

test('counties are listed with the number of ZIP codes that active data covers, least covered first', async () => {
  const active = async (name: string, ...rows: string[]) =>
    await load({ name, vintage: '1', activate: 'true', force: 'true' }, openAddresses(...rows))
  const kent = ['Felton|DE|19943', 'Frederica|DE|19946', 'Harrington|DE|19952', 'Smyrna|DE|19977', 'Clayton|DE|19938']
  const sussex = ['1 Bay St|Seaford|DE|19973', ...streets(10, 'Millsboro|DE|19966')]
  await active('Kent', ...kent.flatMap((place) => streets(26, place)), ...sussex)
  // without ZIP codes: Dover's two codes that have houses
  await active('Dover', ...streets(26, 'Dover|DE|'))
  // not active
  await load({ name: 'New Castle', vintage: '1' }, openAddresses(...streets(26, 'Newark|DE|19711')))
  const counties = async (query: object) => (await operator.listE911Counties({ query })).body
  const none = { country: 'US', state: 'DE', covered: 0, partial: 0, thin: 0 }
  const newCastle = { ...none, fips: '10003', name: 'New Castle', zip_codes: 29, without_data: 29, streets: 0 }
  assert.deepEqual((await counties({ state: 'DE' })).data, [
    newCastle,
    { ...none, fips: '10005', name: 'Sussex', zip_codes: 22, partial: 1, thin: 1, without_data: 20, streets: 11 },
    { ...none, fips: '10001', name: 'Kent', zip_codes: 17, covered: 7, without_data: 10, streets: 156 },
  ])
  const first = await counties({ state: 'DE', limit: 1 })
  assert.deepEqual(first.data, [newCastle])
  assert.match(first.links.next ?? '', /state=DE&limit=1&offset=1$/)
  // counties of the territories are unknown, and provinces have none
  assert.deepEqual(
    (await counties({ state: 'VI' })).data.map(({ fips, name, without_data }) => [fips, name, without_data]),
    [[null, null, 6]],
  )
  assert.deepEqual((await counties({ state: 'QC' })).data, [])
  const [worst] = (await counties({ limit: 1 })).data
  assert.deepEqual([worst?.fips, worst?.name], ['06037', 'Los Angeles'])
})

const TOWN = streets(26, 'Hertford|NC|27944').flatMap((row) => [row, row.replace(/^\d/, '4'), row.replace(/^\d/, '5')])
const activated = async (dataset_id: string, force?: 'true') =>
  (await operator.activateE911Dataset({ params: { dataset_id }, query: { ...(force && { force }) } })).body.data
    .attributes

test('a vintage that lacks half of the previous one is held until forced, and one call rolls it back', async () => {
  const [first, second] = [
    await load({ name: 'Town', vintage: '1', activate: 'true' }, openAddresses(...TOWN)),
    await load({ name: 'Town', vintage: '2', activate: 'true' }, openAddresses(...TOWN.slice(39))),
  ]
  assert.deepEqual([(await dataset(first)).status, (await dataset(second)).status], ['active', 'held'])
  const why = await sentence(operator.activateE911Dataset({ params: { dataset_id: second } }), 409)
  assert.match(why, /is held: It lacks 50 % of the streets of 1; .* activate it with force=true/)
  assert.equal((await activated(second, 'true')).status, 'active')
  assert.equal((await dataset(first)).status, 'superseded')
  assert.equal((await activated(first)).status, 'active')
  assert.equal((await dataset(second)).status, 'superseded')
})

test('force=true activates a held dataset as soon as it is loaded', async () => {
  const bad = Array.from({ length: 90 }, () => 'x Mallowa St|Hertford|NC|27944')
  const id = await load(
    { name: 'Forced', vintage: '1', activate: 'true', force: 'true' },
    openAddresses(...TOWN, ...bad),
  )
  const { status, report } = await dataset(id)
  assert.equal(status, 'active')
  assert.match(report?.held.join() ?? '', /were not understood/)
})

test('the same file is loaded again with other columns, and refused with columns it does not have', async () => {
  const body = 'number,street,town,place,region\n12,Main St,Hertford,Winfall,NC\n'
  const send = (columns: string) => load({ name: 'Again', vintage: '1', columns, activate: 'true' }, body)
  const first = await send('city=town')
  assert.equal(await send('city=town'), first)
  const second = await send('city=place')
  assert.notEqual(second, first)
  assert.deepEqual([(await dataset(first)).status, (await dataset(second)).status], ['superseded', 'active'])
  const failed = await dataset(await send('city=plaze'))
  assert.deepEqual([failed.status, (await dataset(second)).status], ['failed', 'active'])
  assert.match(
    failed.failure_reason ?? '',
    /no column plaze, which columns= refers to\. Its columns are number, street, town/,
  )
  assert.match((await fieldErrors(send('ctiy=town')))['columns']?.join() ?? '', /^Unknown name: ctiy/)
})
