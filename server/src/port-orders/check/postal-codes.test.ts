import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryOfState, statesOfCode, normalizeCode } from './postal-codes.ts'
import type { Country } from './postal-codes.ts'

/** One code of each state and province, most of them of the capital. */
const capitals: Record<Country, string> = {
  US: `AL 36104 AK 99801 AZ 85001 AR 72201 CA 95814 CO 80202 CT 06103 DE 19901 DC 20001 FL 32301 GA 30303 HI 96813 ID 83702
    IL 62701 IN 46225 IA 50309 KS 66603 KY 40601 LA 70802 ME 04330 MD 21401 MA 02201 MI 48933 MN 55102 MS 39205 MO 65101
    MT 59623 NE 68502 NV 89701 NH 03301 NJ 08608 NM 87501 NY 12207 NC 27601 ND 58501 OH 43215 OK 73102 OR 97301 PA 17101
    RI 02903 SC 29217 SD 57501 TN 37219 TX 78701 UT 84111 VT 05602 VA 23219 WA 98507 WV 25301 WI 53703 WY 82001
    PR 00901 VI 00802 GU 96910 MP 96950 AS 96799 AE 09012 AA 34002 AP 96204`,
  CA: `AB T5J BC V8V MB R3C NB E3B NL A1B NS B3H NT X1A NU X0A ON M5H PE C1A QC G1R SK S4P YT Y1A`,
}
const pairs = (country: Country) =>
  [...capitals[country].matchAll(/([A-Z]{2})\s+(\w+)/g)].map(([, state = '', code = '']) => ({ state, code }))

for (const country of ['US', 'CA'] as const)
  test(`the code of every ${country === 'US' ? 'state' : 'province'} is in it`, () => {
    const all = pairs(country)
    assert.equal(all.length, country === 'US' ? 51 + 5 + 3 : 13)
    for (const { state, code } of all) {
      assert.ok(statesOfCode(code, country).includes(state), `${code} in ${state}`)
      assert.equal(countryOfState(state), country)
    }
  })

test('a prefix belongs to one state, except prefixes shared by islands or territories', () => {
  const shared: string[] = []
  for (let n = 0; n < 1000; n += 1) {
    const prefix = String(n).padStart(3, '0')
    const states = statesOfCode(`${prefix}00`, 'US')
    if (states.length > 1) shared.push(`${prefix} ${states.join(' ')}`)
  }
  assert.deepEqual(shared, ['967 AS HI', '969 GU MP'])
  assert.deepEqual(statesOfCode('X0A 0H0', 'CA'), ['NT', 'NU'])
})

test('codes that are delivered across a border are in both states', () => {
  assert.deepEqual(statesOfCode('42223', 'US'), ['KY', 'TN'])
  assert.deepEqual(statesOfCode('97635-0001', 'US'), ['OR', 'CA'])
})

const spellings: [text: string, country: Country, normalized: string | null][] = [
  ['98101', 'US', '98101'],
  [' 98101 ', 'US', '98101'],
  ['98101-1234', 'US', '98101-1234'],
  ['98101 1234', 'US', '98101-1234'],
  ['9810', 'US', null],
  ['981011', 'US', null],
  ['9810A', 'US', null],
  ['m5v 3l9', 'CA', 'M5V 3L9'],
  ['M5V3L9', 'CA', 'M5V 3L9'],
  ['M5V-3L9', 'CA', 'M5V 3L9'],
  ['D5V 3L9', 'CA', null],
  ['M5O 3L9', 'CA', null],
  ['M5V 3L', 'CA', null],
  ['98101', 'CA', null],
  ['M5V 3L9', 'US', null],
  ['', 'US', null],
]
for (const [text, country, normalized] of spellings)
  test(`${JSON.stringify(text)} in ${country} is ${normalized ?? 'no code'}`, () =>
    assert.equal(normalizeCode(text, country), normalized))

test('only states and provinces have a country', () => {
  for (const not of ['', 'XX', 'wa', 'USA', 'constructor', '__proto__']) assert.equal(countryOfState(not), null)
})
