import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { addressOf } from '../testing/address.ts'
import { censusValidator } from './census.ts'
import { sendByFetch } from './http.ts'
import { serve } from './testing/server.ts'
import type { Outcome } from './validator.ts'

const match = (parts: Record<string, string>) => ({
  tigerLine: { side: 'L', tigerLineId: '1' },
  addressComponents: {
    zip: '19123',
    streetName: 'BROAD',
    preType: '',
    city: 'PHILADELPHIA',
    preDirection: 'N',
    suffixDirection: '',
    fromAddress: '900',
    state: 'PA',
    suffixType: 'ST',
    toAddress: '998',
    suffixQualifier: '',
    preQualifier: '',
    ...parts,
  },
})
const NORTH = match({})
const SOUTH = match({ preDirection: 'S', zip: '19147' })

async function ask(t: TestContext, matches: unknown, street = 'Broad St'): Promise<Outcome> {
  const { url } = await serve(t, () => ({ body: JSON.stringify({ result: { addressMatches: matches } }) }))
  const address = addressOf(900, street, 'Philadelphia, PA 19123')
  return censusValidator({ url, send: sendByFetch, now: () => 0 }).validate(address)
}

test('no match is refused', async (t) => assert.equal((await ask(t, [])).kind, 'not_geocodable'))

test('a single match that equals the address accepts it at level range', async (t) => {
  const outcome = await ask(t, [NORTH], 'north broad street')
  assert.ok(outcome.kind === 'ok')
  assert.equal(outcome.level, 'range')
  assert.equal(outcome.source.name, 'census')
})

test('a silently corrected match is offered, not accepted', async (t) => {
  const outcome = await ask(t, [NORTH], 'N Braod St')
  assert.ok(outcome.kind === 'correct')
  assert.deepEqual(outcome.alternatives, [
    { street_number: '900', street_name: 'N BROAD ST', city: 'PHILADELPHIA', state: 'PA', country: 'US', zip: '19123' },
  ])
  assert.deepEqual(outcome.elements.invalid, ['RD'])
})

test('a number that the geocoder understood only in part is corrected to that part', async (t) => {
  const { url } = await serve(t, () => ({
    body: JSON.stringify({
      result: { addressMatches: [{ ...NORTH, matchedAddress: '900 N BROAD ST, PHILADELPHIA, PA, 19123' }] },
    }),
  }))
  const validator = censusValidator({ url, send: sendByFetch, now: () => 0 })
  const at = (number: string) => validator.validate(addressOf(number, 'N Broad St', 'Philadelphia, PA 19123'))
  assert.equal((await at('900')).kind, 'ok')
  const outcome = await at('E4W900')
  assert.ok(outcome.kind === 'correct')
  assert.deepEqual(
    outcome.alternatives.map(({ street_number }) => street_number),
    ['900'],
  )
})

test('a tie is offered, each once', async (t) => {
  const outcome = await ask(t, [NORTH, SOUTH, NORTH])
  assert.ok(outcome.kind === 'correct')
  assert.deepEqual(
    outcome.alternatives.map(({ street_name, zip }) => `${street_name} ${zip}`),
    ['N BROAD ST 19123', 'S BROAD ST 19147'],
  )
})

test('among several matches the address itself accepts', async (t) =>
  assert.equal((await ask(t, [SOUTH, NORTH], 'N Broad St')).kind, 'ok'))

test('no request is sent for an address outside the US', async (t) => {
  const { url, arrived } = await serve(t, () => ({ body: '{}' }))
  const validator = censusValidator({ url, send: sendByFetch, now: () => 0 })
  assert.equal((await validator.validate(addressOf(1, 'Main St', 'Winnipeg, MB R3C 1A1'))).kind, 'unavailable')
  assert.equal(arrived.length, 0)
})

test('the request has the components of the address, escaped', async (t) => {
  const { url, arrived } = await serve(t, () => ({ body: '{"result":{"addressMatches":[]}}' }))
  await censusValidator({ url, send: sendByFetch, now: () => 0 }).validate(
    addressOf('12 1/2', 'A & B St', 'Hertford, NC 27944'),
  )
  const requested = new URL(arrived[0]?.url ?? '', url)
  assert.equal(requested.pathname, '/locations/address')
  assert.equal(requested.searchParams.get('street'), '12 1/2 A AND B ST')
  assert.equal(requested.searchParams.get('zip'), '27944')
  assert.equal(requested.searchParams.get('benchmark'), 'Public_AR_Current')
})

for (const body of ['', 'not JSON', '[]', '{"result":{}}', '{"result":{"addressMatches":"none"}}']) {
  test(`${JSON.stringify(body)} means unavailable`, async (t) => {
    const { url } = await serve(t, () => ({ body }))
    const validator = censusValidator({ url, send: sendByFetch, now: () => 0 })
    assert.equal((await validator.validate(addressOf(1, 'Main St', 'Hertford, NC 27944'))).kind, 'unavailable')
  })
}
