import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalKey } from './address.ts'
import { addressOf } from './testing/address.ts'

const key = (number: string, street: string, where: string) => canonicalKey(addressOf(number, street, where))

const SAME: [[string, string, string], [string, string, string]][] = [
  [
    ['12', 'Market Street', 'St. Louis, MO 63101'],
    ['12', 'MARKET ST', 'Saint Louis, MO 63101'],
  ],
  [
    ['87-15', '115th St', 'Richmond Hill, NY 11418'],
    ['87-15', '115TH STREET', 'richmond hill, NY 11418'],
  ],
  [
    ['12 B', 'Elm St.', 'Hertford, NC 27944'],
    ['12b', 'elm street', 'HERTFORD, NC 27944'],
  ],
  [
    ['100', 'rue Sherbrooke Ouest', 'Montréal, QC H3A 1A1'],
    ['100', 'Sherbrooke St W', 'Montreal, QC H3A 1A1'],
  ],
]

for (const [one, other] of SAME) {
  test(`${one.join(' ')} and ${other.join(' ')} have the same key`, () => assert.equal(key(...one), key(...other)))
}

test('a number without its hyphen has another key', () => {
  const [hyphenated, joined] = ['87-15', '8715'].map((number) => key(number, '115th St', 'Richmond Hill, NY 11418'))
  assert.notEqual(hyphenated, joined)
})

test('another unit has another key', () => {
  const address = addressOf('12', 'Market St', 'Hertford, NC 27944')
  const suite = { ...address, unit: { type: 'Suite', id: '4' } } as const
  assert.notEqual(canonicalKey(address), canonicalKey(suite))
  assert.equal(canonicalKey(suite), canonicalKey({ ...suite, unit: { type: 'Suite', id: ' 4 ' } }))
})
