import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cityKey } from '../../server/src/engines/addresses/normalise/city.ts'
import { areConsistent } from '../../server/src/engines/addresses/postal/check.ts'
import { postalData } from '../../server/src/engines/addresses/postal/data.ts'
import { Random } from './random.ts'
import { Sampler } from './sample.ts'

const data = postalData()

function drawn(row: { low: string; high?: string; state: string; city: string; country?: string }) {
  const sampler = new Sampler(1, new Random(1), {}, data)
  sampler.row({ street: 'MALLOW ST', ...row })
  return sampler.addresses()[0]
}

for (const [what, country, state, city] of [
  ['a city with codes of its own', 'US', 'NC', 'HERTFORD'],
  ['a city without', 'US', 'CA', 'HOLLYWOOD'],
  ['a community that is no place on the map', 'US', 'TX', 'PRECINCT 4'],
  ['one in Canada', 'CA', 'ON', 'REGION OF NOWHERE'],
  ['a village in a rural area', 'CA', 'MB', 'PORTAGE LA PRAIRIE'],
] as const) {
  test(`where the data has no codes, ${what} gets one that goes with it`, () => {
    const address = drawn({ low: '100', state, city, country })
    assert.ok(address)
    const fact = { authority: 'indicative', state, postal: '', city, city_key: cityKey(city) } as const
    const facts = [{ ...fact, city_derived: false, streets: 1, complete: true }]
    assert.ok(areConsistent({ ...address, city_key: cityKey(city) }, facts, data), address.zip)
    assert.equal(address.own_zip, false)
  })
}

test('of a range that begins at zero no house number zero is drawn', () => {
  assert.equal(drawn({ low: '0', high: '2', state: 'NC', city: 'HERTFORD' })?.number, 2)
})
