import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ACCOUNT, ALL_TIME, callRecord, HOSTILE_TEXTS } from './testing/records.ts'
import { testWarehouse } from '../../../test/support/engine.ts'
import { digitsOf, foldCase, isTollfree } from './normalization.ts'
import { ceilUnits, floorUnits, formatUnits } from './decimal.ts'
import { accountNumber, compileFilter } from './filter.ts'
import { storedIds } from './testing/queries.ts'
import { referenceFilter } from './testing/reference-filter.ts'
import type { CdrFilter } from './types.ts'

const store = await testWarehouse()
const { warehouse } = store

/** Records with each hostile text in every filtered column, and some plain records. */
const records = [...HOSTILE_TEXTS, 'plain', '12065550100', '+1 (206) 555-0100'].map((text, index) =>
  callRecord({
    id: String(index),
    destination: text,
    number_alias: text,
    callerid: text,
    destination_country: text,
    custom_x_tag: index % 3 === 0 ? [] : ['other', text],
    customer_ip: text,
  }),
)
await warehouse.insert(records)

describe('a text filter', () => {
  const textFilters = [
    'number_aliases',
    'number_aliases_contains',
    'destination_numbers',
    'callerid_numbers',
    'custom_x_tags',
    'destination_countries_included',
    'destination_countries_excluded',
    'destination_prefix',
    'callerid_prefix',
  ] as const satisfies readonly (keyof CdrFilter)[]

  for (const name of textFilters) {
    test(`${name} matches every text literally`, async () => {
      for (const entries of [...HOSTILE_TEXTS.map((text) => [text]), HOSTILE_TEXTS]) {
        const filter = { ...ALL_TIME, [name]: entries }
        const ids = await storedIds(store, { account_id: ACCOUNT, filter })
        const expected = records.filter(referenceFilter(filter)).map((record) => record.id)
        assert.deepEqual(ids, expected.toSorted(), JSON.stringify(entries).slice(0, 200))
      }
    })
  }

  test('accepts thousands of entries', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => String(12_065_550_000 + index))
    const filter = {
      ...ALL_TIME,
      destination_numbers: numbers,
      callerid_prefix: numbers,
      number_aliases_contains: numbers,
    }
    const expected = records.filter(referenceFilter(filter)).length
    assert.equal(await warehouse.count({ account_id: ACCOUNT, filter }), expected)
  })
})

describe('a compiled filter', () => {
  test('contains no input except as hexadecimal literals', () => {
    const everything: CdrFilter = {
      ...ALL_TIME,
      number_aliases: HOSTILE_TEXTS,
      number_aliases_contains: HOSTILE_TEXTS,
      destination_numbers: HOSTILE_TEXTS,
      callerid_numbers: HOSTILE_TEXTS,
      custom_x_tags: HOSTILE_TEXTS,
      caller_ip: '2001:db8::/32',
      destination_countries_included: HOSTILE_TEXTS,
      destination_countries_excluded: HOSTILE_TEXTS,
      destination_prefix: HOSTILE_TEXTS,
      callerid_prefix: HOSTILE_TEXTS,
    }
    const sql = compileFilter({ account_id: ACCOUNT, filter: everything })
    const literals = [...sql.matchAll(/unhex\('([0-9a-f]*)'\)/g)]
    assert.ok(literals.length > 10)
    assert.doesNotMatch(sql.replaceAll(/unhex\('[0-9a-f]*'\)/g, ''), /OR 1|UNION|DROP|--|script|Brien/)
  })

  for (const [what, input] of Object.entries({
    'another direction': { direction: "inbound' OR 1" },
    'no address': { caller_ip: '192.0.2.1 OR 1' },
    'a prefix that is too long': { caller_ip: '192.0.2.0/33' },
    'a block without a prefix length': { caller_ip: '192.0.2.0/' },
    'a zone': { caller_ip: 'fe80::1%eth0' },
    'an exponent': { cost_greater_than: '1e3' },
    'no number': { duration_less_than: '1 OR 1' },
    'an infinite number': { cost_less_than: 'Infinity' },
    'an invalid date': { start_call_start_time: new Date(Number.NaN) },
  })) {
    test(`rejects ${what}`, () => {
      // The cast allows values that no validated filter has.
      const filter = { ...ALL_TIME, ...input } as CdrFilter
      assert.throws(() => compileFilter({ account_id: ACCOUNT, filter }), RangeError)
    })
  }

  for (const id of ['', '-1', '1 OR 1', '0x1', '18446744073709551616', '1e3', '1\n']) {
    test(`rejects account ${JSON.stringify(id)}`, () => {
      assert.throws(() => accountNumber(id), RangeError)
    })
  }
})

describe('numbers', () => {
  test('are compared by their digits', () => {
    for (const same of ['+12065550100', '12065550100', '1 (206) 555-0100', '1.206.555.0100', '+1/206/5550100']) {
      assert.equal(digitsOf(same), '12065550100')
    }
    for (const word of ['anonymous', 'sip:100@192.0.2.1', '*67', '#31#', '', '+', ' ']) assert.equal(digitsOf(word), '')
  })

  test('are toll-free by their code', () => {
    for (const free of ['18005550100', '8885550100', '18335550100', '80012345678']) assert.ok(isTollfree(free), free)
    for (const not of ['12065550100', '18105550100', '1800555010', '180055501000', '', '448005550100'])
      assert.ok(!isTollfree(not), not)
  })

  test('fold case independently of context', () => {
    assert.ok(foldCase('ΣΑΣ').includes(foldCase('ας')))
    assert.equal(foldCase('Straße'), foldCase('STRASSE'))
    assert.equal(foldCase('e\u0301'), foldCase('É'))
  })
})

describe('decimals', () => {
  for (const [text, floor, ceil] of [
    ['0', 0n, 0n],
    ['1', 100n, 100n],
    ['1.005', 100n, 101n],
    ['-1.005', -101n, -100n],
    ['-0.001', -1n, 0n],
    ['-0.000', 0n, 0n],
    ['007.10', 710n, 710n],
    ['123456789012345678901234567890.999', 12345678901234567890123456789099n, 12345678901234567890123456789100n],
  ] as const) {
    test(`${text} lies between ${floor} and ${ceil} hundredths`, () => {
      assert.deepEqual([floorUnits(text, 2), ceilUnits(text, 2)], [floor, ceil])
    })
  }

  test('are formatted without insignificant zeros', () => {
    assert.deepEqual(
      [0n, 5n, -5n, 100n, -12_340n].map((units) => formatUnits(units, 3)),
      ['0', '0.005', '-0.005', '0.1', '-12.34'],
    )
  })
})
