import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBusinessDay, portOrders } from '@demarc/client'
import type { Calendar } from '@demarc/client'
import { carrierFor, manualCarrier } from './carrier.ts'
import type { CarrierOrder, LosingCarrier } from './carrier.ts'
import { simulatedNumbers, simulatedPins } from './scenarios.ts'
import { simulatedCarrier } from './simulated.ts'

/** Requirements for every adapter of a losing carrier. */

const calendar: Calendar = { country: 'US' }
const adapters: LosingCarrier[] = [manualCarrier, simulatedCarrier({ zone: 'America/New_York', calendar })]

const pins = [null, '', '1234', ...simulatedPins.map((r) => r.key), ...portOrders.rejectCodeNames, '7401', '8a']
const numberSets = [
  ['+12065550100'],
  ...simulatedNumbers.map((r) => [`+1206555${r.key}`]),
  ['+12065550100', ...simulatedNumbers.map((r) => `+1212555${r.key}`)],
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
  test(`${carrier.name}: every transition is one that the operator can make, with the required input`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      if (!('transition' in next)) continue
      const permission = portOrders.canTransition(order.status, next.transition.to, 'operator', {
        completion_date_given: order.completion_date !== null,
      })
      assert.ok(permission.ok, JSON.stringify([order, next]))
      if (permission.transition.needs?.includes('reason_code')) assert.ok(next.transition.reason_code)
      if (permission.transition.needs?.includes('completion_date')) assert.ok(next.transition.completion_date)
    }
  })

  test(`${carrier.name}: no transition is before the order entered its status, and every date is a business day`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      if (!('transition' in next)) continue
      assert.ok(next.transition.at >= order.entered_at)
      const date = next.transition.completion_date
      if (date !== undefined) assert.ok(isBusinessDay(date, calendar) && date > '2025-06-16', date)
    }
  })

  test(`${carrier.name}: the same order gives the same step`, () => {
    for (const order of orders())
      assert.deepEqual(carrier.next(order), carrier.next({ ...order, numbers: order.numbers.toReversed() }))
  })

  test(`${carrier.name}: an order that waits for the customer or is final has no transition`, () => {
    for (const order of orders()) {
      const { who } = portOrders.nextSteps[order.status]
      if (who === 'account' || who === 'nobody') assert.deepEqual(carrier.next(order), { waits_for: who })
    }
  })

  test(`${carrier.name}: an order without a transition waits for the operator`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      const { who } = portOrders.nextSteps[order.status]
      if ('waits_for' in next && (who === 'operator' || who === 'carrier')) assert.equal(next.waits_for, 'operator')
    }
  })

  test(`${carrier.name}: numbers left behind are numbers of the order, and never all of them`, () => {
    for (const order of orders()) {
      const next = carrier.next(order)
      const behind = 'transition' in next ? (next.transition.left_behind ?? []) : []
      assert.ok(behind.every((n) => order.numbers.includes(n)) && behind.length < order.numbers.length)
    }
  })

  test(`${carrier.name}: it returns only requested numbers`, () => {
    const requested = numberSets.flat()
    for (const [number, holding] of carrier.holdings(requested)) {
      assert.ok(requested.includes(number))
      assert.ok(holding.carrier.length > 0 && (holding.released || holding.reason.length > 0))
    }
    assert.equal(carrier.holdings([]).size, 0)
  })
}

test('the simulated carrier handles its providers, and the manual carrier all others', () => {
  const both = adapters.toReversed()
  assert.equal(carrierFor('Simulated Telephone', both).name, 'simulated')
  for (const provider of ['Simulated', 'simulated telephone', 'Big Simulated Telephone', 'Old Tel', ''])
    assert.equal(carrierFor(provider, both).name, 'manual')
  assert.equal(carrierFor('Simulated Telephone', [manualCarrier]).name, 'manual')
  assert.throws(() => carrierFor('Old Tel', []), RangeError)
})
