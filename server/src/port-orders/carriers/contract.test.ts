import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBusinessDay, portOrders } from '@demarc/client'
import type { Calendar } from '@demarc/client'
import { carrierFor } from './carrier.ts'
import type { CarrierOrder, LosingCarrier } from './carrier.ts'
import { manualCarrier } from './manual.ts'
import { simulatedNumbers, simulatedPins } from './scenarios.ts'
import { simulatedCarrier } from './simulated.ts'

/** What every losing carrier has to keep, whatever it does. */

const calendar: Calendar = { country: 'US' }
const adapters: LosingCarrier[] = [manualCarrier, simulatedCarrier({ zone: 'America/New_York', calendar })]

const pins = [null, '', '1234', ...simulatedPins.map((r) => r.given), ...portOrders.rejectCodeNames, '7401', '8a']
const numberSets = [
  ['+12065550100'],
  ...simulatedNumbers.map((r) => [`+1206555${r.given}`]),
  ['+12065550100', ...simulatedNumbers.map((r) => `+1212555${r.given}`)],
]

/** Every status with every scenario, at several stages of an order's life. */
function* orders(): Generator<CarrierOrder> {
  for (const status of portOrders.portOrderStatuses)
    for (const pin of pins)
      for (const numbers of numberSets)
        for (const [rejections, reschedules] of [
          [0, 0],
          [1, 0],
          [0, 1],
        ] as const)
          for (const completion_date of [null, '2025-06-20'])
            yield {
              status,
              entered_at: new Date('2025-06-16T14:00:00Z'),
              numbers,
              pin,
              desired_completion_date: completion_date,
              completion_date,
              rejections,
              reschedules,
            }
}

for (const carrier of adapters) {
  test(`${carrier.name}: every move is one that the operator could make, and says what that needs`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      if (!('move' in next)) continue
      const verdict = portOrders.canTransition(order.status, next.move.to, 'operator', {
        completion_date_given: order.completion_date !== null,
      })
      assert.ok(verdict.ok, JSON.stringify([order, next]))
      if (verdict.transition.needs?.includes('reason_code')) assert.ok(next.move.reason_code)
      if (verdict.transition.needs?.includes('completion_date')) assert.ok(next.move.completion_date)
    }
  })

  test(`${carrier.name}: no move comes before the order was in its status, and no date is a day off`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      if (!('move' in next)) continue
      assert.ok(next.move.at >= order.entered_at)
      const date = next.move.completion_date
      if (date !== undefined) assert.ok(isBusinessDay(date, calendar) && date > '2025-06-16', date)
    }
  })

  test(`${carrier.name}: asked again it says the same`, () => {
    for (const order of orders())
      assert.deepEqual(carrier.next(order), carrier.next({ ...order, numbers: order.numbers.toReversed() }))
  })

  test(`${carrier.name}: an order that waits for its account holder, or is over, is left alone`, () => {
    for (const order of orders()) {
      const { who } = portOrders.nextSteps[order.status]
      if (who === 'account' || who === 'nobody') assert.deepEqual(carrier.next(order), { waits_for: who })
    }
  })

  test(`${carrier.name}: an order that it does not move waits for the operator`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      const { who } = portOrders.nextSteps[order.status]
      if ('waits_for' in next && (who === 'operator' || who === 'carrier')) assert.equal(next.waits_for, 'operator')
    }
  })

  test(`${carrier.name}: numbers left behind are numbers of the order, and never all of them`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      const behind = 'move' in next ? (next.move.left_behind ?? []) : []
      assert.ok(behind.every((n) => order.numbers.includes(n)) && behind.length < order.numbers.length)
    }
  })

  test(`${carrier.name}: it speaks only of numbers that it was asked about`, () => {
    const asked = numberSets.flat()
    for (const [number, holding] of carrier.holdings(asked)) {
      assert.ok(asked.includes(number))
      assert.ok(holding.carrier.length > 0 && (holding.released || holding.because.length > 0))
    }
    assert.equal(carrier.holdings([]).size, 0)
  })
}

test('the simulated carrier plays its providers and people play the rest', () => {
  const both = adapters.toReversed()
  assert.equal(carrierFor('Simulated Telephone', both).name, 'simulated')
  for (const provider of ['Simulated', 'simulated telephone', 'Big Simulated Telephone', 'Old Tel', ''])
    assert.equal(carrierFor(provider, both).name, 'manual')
  assert.equal(carrierFor('Simulated Telephone', [manualCarrier]).name, 'manual')
  assert.throws(() => carrierFor('Old Tel', []), RangeError)
})
