import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { numbers } from '@demarc/client'
import { areaCodes, areaOf } from './area-codes.ts'

/**
 * An area code's countries according to the library's metadata. Looks up numbers in several exchanges, because one may be
 * reserved.
 */
function byLibrary(code: string): Set<string> {
  const parsed = ['2345678', '5550100', '6345678', '4562345'].map((rest) =>
    parsePhoneNumberFromString(`+1${code}${rest}`),
  )
  return new Set(parsed.flatMap((p) => (p?.isValid() && p.country ? [p.country] : [])))
}

const territories = new Set(['AS', 'GU', 'MP', 'PR', 'VI'])
const nonGeographic =
  /^(500|52\d|532|533|544|566|577|588|600|622|633|644|655|677|688|700|710|900|8(00|33|44|55|66|77|88))$/
const all = Array.from({ length: 800 }, (_, i) => String(i + 200))

test('every US or Canadian area code of the library is in the table, with the same country', () => {
  for (const code of all.filter((c) => !nonGeographic.test(c)))
    for (const found of byLibrary(code)) {
      const country = territories.has(found) ? 'US' : found
      assert.equal(
        areaOf(code)?.country ?? null,
        ['US', 'CA'].includes(country) ? country : null,
        `${code} is of ${found}`,
      )
    }
})

test('toll-free codes match the library and are not geographic', () => {
  const free = all.filter((c) => parsePhoneNumberFromString(`+1${c}2345678`)?.getType() === 'TOLL_FREE')
  assert.deepEqual(free, [...numbers.tollFreeCodes])
  for (const code of numbers.tollFreeCodes) assert.equal(areaOf(code), null)
})

test('every code follows the numbering plan, and every state and province has one', () => {
  const regions = new Set<string>()
  for (const code of areaCodes()) {
    assert.match(code, /^[2-9][0-8]\d$/)
    assert.doesNotMatch(code, /^\d(\d)\1$|11$/)
    for (const region of areaOf(code)?.regions ?? []) regions.add(region)
  }
  assert.equal(regions.size, 51 + 5 + 13)
})

test('a code belongs to one state or province, except codes shared by provinces', () => {
  const shared = areaCodes().filter((c) => areaOf(c)?.regions.length !== 1)
  assert.deepEqual(shared, ['782', '867', '902'])
  assert.deepEqual(areaOf('867')?.regions, ['NT', 'NU', 'YT'])
})

const spots: [code: string, country: string | null, region: string | null][] = [
  ['206', 'US', 'WA'],
  ['212', 'US', 'NY'],
  ['416', 'CA', 'ON'],
  ['514', 'CA', 'QC'],
  ['787', 'US', 'PR'],
  ['242', null, null],
  ['876', null, null],
  ['555', null, null],
  ['900', null, null],
  ['822', null, null],
]
for (const [code, country, region] of spots)
  test(`${code} is in ${region ?? 'neither country'}`, () => {
    assert.equal(areaOf(code)?.country ?? null, country)
    assert.equal(areaOf(code)?.regions[0] ?? null, region)
  })
