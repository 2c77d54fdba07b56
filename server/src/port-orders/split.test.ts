import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { portOrders } from '@demarc/client'
import { noFacts, portabilityOf } from './portability.ts'
import type { Holding, NumberFacts } from './portability.ts'
import { sameCarrier, splitNumbers } from './split.ts'

const seattle = '+12065550100'
const toronto = '+14165550101'
const tollfree = '+18885550102'

const spellings: [text: string, read: string | null][] = [
  ['+12065550100', seattle],
  ['12065550100', seattle],
  ['2065550100', seattle],
  ['(206) 555-0100', seattle],
  ['206.555.0100', seattle],
  [' +1 (206) 555-0100 ', seattle],
  ['+442079460000', null],
  ['+1206555010', null],
  ['+120655501000', null],
  ['22065550100', null],
  ['+11065550100', null],
  ['+12061550100', null],
  ['206-555-CALL', null],
  ['', null],
  ['+1206555010٠', null],
  ['2065550100; drop', null],
]
for (const [text, read] of spellings)
  test(`${JSON.stringify(text)} is read as ${read ?? 'no number'}`, () =>
    assert.equal(portOrders.readNumber(text), read))

test('orders have only numbers in E.164', () => {
  assert.deepEqual(
    spellings.filter(([t]) => portOrders.isE164(t)).map(([t]) => t),
    [seattle],
  )
})

const heldBy = (holding: Holding): NumberFacts => ({ ...noFacts, holdings: new Map([[seattle, holding]]) })
const portability: [text: string, facts: NumberFacts, code: string | null, reason: RegExp | null][] = [
  [seattle, noFacts, null, null],
  [toronto, noFacts, null, null],
  [tollfree, noFacts, null, null],
  ['+17875550100', noFacts, null, null],
  ['+19005550100', noFacts, 'number_not_portable', /premium/],
  ['+12069765000', noFacts, 'number_not_portable', /976/],
  ['+15005550100', noFacts, 'number_not_portable', /personal/],
  ['+15265550100', noFacts, 'number_not_portable', /personal/],
  ['+16005550100', noFacts, 'number_not_portable', /Canadian/],
  ['+17105550100', noFacts, 'number_not_portable', /government/],
  ['+12425550100', noFacts, 'number_malformed', /242 is not a US or Canadian area code/],
  ['+18765550100', noFacts, 'number_malformed', /876 is not a US or Canadian area code/],
  ['+18225550100', noFacts, 'number_malformed', /822 is not/],
  ['+12069110100', noFacts, 'number_malformed', /911/],
  ['hello', noFacts, 'number_malformed', /"hello" is not a US or Canadian number/],
  [seattle, { ...noFacts, ours: new Set([seattle]) }, 'number_on_other_order', /already on the account/],
  [seattle, { ...noFacts, on_order: new Set([seattle]) }, 'number_on_other_order', /open port order/],
  [seattle, { ...noFacts, elsewhere: new Set([seattle]) }, 'number_not_portable', /^The number cannot be ordered now/],
  [toronto, { ...noFacts, on_order: new Set([seattle]) }, null, null],
  [seattle, heldBy({ carrier: 'Old Tel', released: true }), null, null],
  [
    seattle,
    heldBy({ carrier: 'Old Tel', released: false, reason: 'No carrier reaches its rate center.' }),
    'number_not_portable',
    /rate center/,
  ],
]
for (const [text, facts, code, reason] of portability)
  test(`${text} is ${code === null ? 'portable' : `refused, ${reason}`}`, () => {
    const result = portabilityOf(text, facts)
    assert.equal(result.portable ? null : result.code, code)
    if (!result.portable && reason) assert.match(result.reason, reason)
  })

test('a refusal quotes untrusted text, shortened and on one line', () => {
  const result = portabilityOf(`a\n\u0007${'x'.repeat(500)}`)
  assert.ok(
    !result.portable &&
      result.reason.length < 150 &&
      !result.reason.includes('\n') &&
      !result.reason.includes('\u0007'),
  )
})

test('each kind, country and carrier gets a separate order, in a fixed sequence', () => {
  const facts: NumberFacts = {
    ...noFacts,
    holdings: new Map([
      ['+12065550109', { carrier: 'Zephyr Tel', released: true }],
      ['+12065550108', { carrier: 'OLD TEL, inc', released: true }],
    ]),
  }
  const { orders } = splitNumbers([tollfree, toronto, '+12065550109', seattle, '+12065550108'], 'Old Tel Inc.', facts)
  assert.deepEqual(orders, [
    {
      kind: 'local',
      country: 'US',
      carrier: 'Old Tel Inc.',
      numbers: [seattle, '+12065550108'],
      reason: 'US local numbers with Old Tel Inc.',
    },
    {
      kind: 'local',
      country: 'US',
      carrier: 'Zephyr Tel',
      numbers: ['+12065550109'],
      reason: 'US local numbers with Zephyr Tel, not with Old Tel Inc.',
    },
    {
      kind: 'local',
      country: 'CA',
      carrier: 'Old Tel Inc.',
      numbers: [toronto],
      reason: 'Canadian local numbers with Old Tel Inc.',
    },
    {
      kind: 'toll-free',
      country: null,
      carrier: 'Old Tel Inc.',
      numbers: [tollfree],
      reason: 'Toll-free numbers with Old Tel Inc.',
    },
  ])
})

test('every number of the request has a disposition, in the same order: on an order, repeated, or refused', () => {
  const { orders, dispositions } = splitNumbers(
    [seattle, 'x', '(206) 555-0100', '+19005550100', tollfree],
    'Old Tel',
    noFacts,
  )
  assert.equal(orders.length, 2)
  assert.deepEqual(
    dispositions.map((d) => [d.given, d.number, d.order, d.code]),
    [
      [seattle, seattle, 0, null],
      ['x', null, null, 'number_malformed'],
      ['(206) 555-0100', seattle, 0, null],
      ['+19005550100', '+19005550100', null, 'number_not_portable'],
      [tollfree, tollfree, 1, null],
    ],
  )
  assert.match(dispositions[2]?.reason ?? '', /more than once/)
})

test('without numbers there are no orders', () => {
  assert.deepEqual(splitNumbers([], 'Old Tel', noFacts), { orders: [], dispositions: [] })
})

test('carrier names are compared ignoring case, spaces and punctuation', () => {
  assert.ok(sameCarrier('Acme Telecom, Inc.', 'ACME  telecom inc'))
  assert.ok(!sameCarrier('Acme Telecom', 'Acme Telecom West'))
})

const someNumber = fc
  .tuple(
    fc.constantFrom('206', '212', '416', '514', '888', '800', '900', '242', '787'),
    fc.integer({ min: 100, max: 130 }),
  )
  .map(([code, line]) => `+1${code}5550${line}`)
const someText = fc.oneof({ weight: 8, arbitrary: someNumber }, { weight: 1, arbitrary: fc.string({ maxLength: 14 }) })
const someFacts = fc
  .array(
    fc.tuple(
      someNumber,
      fc.constantFrom<Holding>(
        { carrier: 'B Tel', released: true },
        { carrier: 'b tel', released: true },
        { carrier: 'C Tel', released: true },
        { carrier: 'C Tel', released: false, reason: 'No.' },
      ),
    ),
    { maxLength: 12 },
  )
  .chain((entries) =>
    fc
      .array(someNumber, { maxLength: 4 })
      .map((taken): NumberFacts => ({ ...noFacts, on_order: new Set(taken), holdings: new Map(entries) })),
  )

test('no request loses, duplicates or adds a number', () => {
  fc.assert(
    fc.property(fc.array(someText, { maxLength: 40 }), someFacts, (numbers, facts) => {
      const { orders, dispositions } = splitNumbers(numbers, 'A Tel', facts)
      const assigned = orders.flatMap((o) => o.numbers)
      assert.equal(new Set(assigned).size, assigned.length)
      assert.deepEqual(
        dispositions.map((d) => d.given),
        numbers,
      )
      const disposed = new Set(dispositions.flatMap((d) => (d.order === null ? [] : [d.number])))
      assert.deepEqual(disposed, new Set(assigned))
      for (const d of dispositions) {
        assert.notEqual(d.reason, '')
        assert.equal(d.order === null, d.code !== null)
        if (d.order !== null) assert.ok(orders[d.order]?.numbers.includes(d.number ?? ''))
      }
    }),
  )
})

test('the order of the numbers does not matter', () => {
  fc.assert(
    fc.property(
      fc
        .array(someText, { maxLength: 25 })
        .chain((numbers) =>
          fc.tuple(fc.constant(numbers), fc.shuffledSubarray(numbers, { minLength: numbers.length })),
        ),
      someFacts,
      ([numbers, shuffled], facts) => {
        assert.deepEqual(splitNumbers(shuffled, 'A Tel', facts).orders, splitNumbers(numbers, 'A Tel', facts).orders)
      },
    ),
  )
})

test('an order of a split request is not split again', () => {
  fc.assert(
    fc.property(fc.array(someNumber, { maxLength: 25 }), someFacts, (numbers, facts) => {
      for (const order of splitNumbers(numbers, 'A Tel', facts).orders) {
        const again = splitNumbers(order.numbers, order.carrier, facts).orders
        assert.deepEqual(
          again.map(({ kind, country, carrier, numbers }) => ({ kind, country, carrier, numbers })),
          [{ kind: order.kind, country: order.country, carrier: order.carrier, numbers: order.numbers }],
        )
      }
    }),
  )
})
