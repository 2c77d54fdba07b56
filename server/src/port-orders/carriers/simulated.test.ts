import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { portOrders } from '@demarc/client'
import { splitNumbers } from '../split.ts'
import { noFacts, portabilityOf } from '../portability.ts'
import type { CarrierTransition, CarrierOrder } from './carrier.ts'
import { simulatedNumbers, simulatedPins } from './scenarios.ts'
import { simulatedCarrier } from './simulated.ts'

const zone = 'America/New_York'
const carrier = simulatedCarrier({ zone, calendar: { country: 'US' } })
/** Monday, 2 June 2025, 10:00 in New York: signed. The 19th is the next holiday. */
const signed = new Date('2025-06-02T14:00:00Z')

const fresh: CarrierOrder = {
  status: 'Processing',
  entered_at: signed,
  numbers: ['+12065550100', '+12065550101'],
  pin: null,
  desired_completion_date: null,
  completion_date: null,
  rejections: 0,
  reschedules: 0,
}

/** Runs an order until it waits for someone; the customer resubmits immediately. */
function run(change: Partial<CarrierOrder>): { transitions: CarrierTransition[]; waits_for: string } {
  let order: CarrierOrder = { ...fresh, ...change }
  const transitions: CarrierTransition[] = []
  for (let step = 0; step < 20; step += 1) {
    if (order.status === 'Rejected') order = { ...order, status: 'Review' }
    const next = carrier.next(order)
    if ('waits_for' in next) return { transitions, waits_for: next.waits_for }
    const { transition } = next
    const rescheduled = order.status === 'Accepted' && transition.to === 'Accepted'
    order = {
      ...order,
      status: transition.to,
      entered_at: transition.at,
      completion_date: transition.completion_date ?? order.completion_date,
      rejections: order.rejections + (transition.to === 'Rejected' ? 1 : 0),
      reschedules: rescheduled ? order.reschedules + 1 : 0,
    }
    transitions.push(transition)
  }
  throw new Error('the scenario does not end')
}

const path = (change: Partial<CarrierOrder>) =>
  run(change)
    .transitions.map((t) => t.to)
    .join(' ')
const accepted_path = 'Submitted Accepted Completed'

test('without a PIN it accepts after an hour for the third business day, and completes at 08:00 that day', () => {
  assert.deepEqual(run({}).transitions, [
    { to: 'Submitted', at: signed },
    { to: 'Accepted', at: new Date('2025-06-02T15:00:00Z'), completion_date: '2025-06-05' },
    { to: 'Completed', at: new Date('2025-06-05T12:00:00Z') },
  ])
  assert.equal(path({ pin: '4711' }), accepted_path)
})

test('a later desired date is used, also across a holiday and a daylight saving change', () => {
  assert.equal(run({ desired_completion_date: '2025-06-27' }).transitions[1]?.completion_date, '2025-06-27')
  assert.equal(run({ desired_completion_date: '2025-06-03' }).transitions[1]?.completion_date, '2025-06-05')
  assert.equal(run({ entered_at: new Date('2025-06-17T14:00:00Z') }).transitions[1]?.completion_date, '2025-06-23')
  assert.deepEqual(
    run({ entered_at: new Date('2025-03-05T15:00:00Z') }).transitions.at(-1)?.at,
    new Date('2025-03-10T12:00:00Z'),
  )
})

for (const code of portOrders.rejectCodeNames)
  test(`PIN ${code} and the carriers' codes for it reject once with it, then accept`, () => {
    for (const pin of [code, code.toUpperCase(), ...portOrders.rejectCodes[code].codes]) {
      const { transitions, waits_for } = run({ pin })
      assert.equal(transitions.map((t) => t.to).join(' '), 'Submitted Rejected Submitted Accepted Completed')
      assert.equal(transitions[1]?.reason_code, code)
      assert.equal(waits_for, 'nobody')
    }
  })

test('a corrected PIN selects the scenario', () => {
  assert.equal(path({ status: 'Review', pin: '4711', rejections: 1 }), accepted_path)
  assert.equal(path({ status: 'Review', pin: '7402', rejections: 1 }), accepted_path)
})

test('silence leaves the order Submitted for the operator', () => {
  for (const change of [{ pin: 'SILENT' }, { pin: 'silent' }, { numbers: ['+12065550191'] }]) {
    const { transitions, waits_for } = run(change)
    assert.deepEqual([transitions.map((t) => t.to), waits_for], [['Submitted'], 'operator'])
  }
})

test('a late response comes after ten days', () => {
  for (const change of [{ pin: 'LATE' }, { numbers: ['+12065550196'] }]) {
    assert.equal(path(change), accepted_path)
    assert.deepEqual(run(change).transitions[1]?.at, new Date('2025-06-12T14:00:00Z'))
  }
})

test('a changed date is sent one business day before, and kept', () => {
  for (const change of [{ pin: 'DELAY' }, { numbers: ['+12065550193'] }]) {
    const { transitions } = run(change)
    assert.equal(transitions.map((t) => t.to).join(' '), 'Submitted Accepted Accepted Completed')
    assert.deepEqual(transitions[2]?.at, new Date('2025-06-04T12:00:00Z'))
    assert.equal(transitions[2]?.completion_date, '2025-06-09')
    assert.deepEqual(transitions[3]?.at, new Date('2025-06-09T12:00:00Z'))
  }
})

test('a partial port completes and lists the numbers left behind', () => {
  const byPin = run({ pin: 'PARTIAL', numbers: ['+12065550103', '+12065550101', '+12065550102'] })
  assert.deepEqual(byPin.transitions.at(-1)?.left_behind, ['+12065550102', '+12065550103'])
  const byNumber = run({ numbers: ['+12065550192', '+12065550100'] })
  assert.equal(byNumber.transitions.map((t) => t.to).join(' '), accepted_path)
  assert.deepEqual(byNumber.transitions.at(-1)?.left_behind, ['+12065550192'])
  assert.equal(byNumber.transitions[0]?.left_behind, undefined)
})

test('an order whose only number would stay behind is rejected once as not found', () => {
  const { transitions } = run({ numbers: ['+12065550192'] })
  assert.equal(transitions.map((t) => t.to).join(' '), 'Submitted Rejected Submitted Accepted Completed')
  assert.equal(transitions[1]?.reason_code, 'number_not_found')
})

test('a withdrawn acceptance is a rejection after a date was given; after that it accepts again', () => {
  const { transitions } = run({ pin: 'WITHDRAW' })
  assert.equal(transitions.map((t) => t.to).join(' '), 'Submitted Accepted Rejected Submitted Accepted Completed')
  assert.equal(transitions[2]?.reason_code, 'pending_order')
})

test('an order that is not portable is canceled before it is sent', () => {
  for (const change of [{ pin: 'NOPORT' }, { numbers: ['+12065550190', '+12065550100'] }]) {
    const { transitions, waits_for } = run(change)
    assert.deepEqual(
      [transitions.map((t) => t.to), transitions[0]?.reason_code, waits_for],
      [['Canceled'], 'number_not_portable', 'nobody'],
    )
  }
})

test('the lowest number with a scenario decides, in any order', () => {
  for (const numbers of [
    ['+12065550194', '+12065550191'],
    ['+12065550191', '+12065550194'],
  ])
    assert.equal(path({ numbers }), 'Submitted')
  assert.equal(path({ numbers: ['+12065550191'], pin: '7401' }), 'Submitted Rejected Submitted Accepted Completed')
})

test('the portability check and the split use the facts of the simulated carrier', () => {
  const numbers = ['+12065550100', '+12065550190', '+12065550195']
  const facts = { ...noFacts, holdings: carrier.holdings(numbers) }
  const refused = portabilityOf('+12065550190', facts)
  assert.ok(!refused.portable && refused.code === 'number_not_portable')
  const { orders } = splitNumbers(numbers, 'Simulated Telephone', facts)
  assert.deepEqual(
    orders.map((o) => [o.carrier, o.numbers]),
    [
      ['Simulated Telephone', ['+12065550100']],
      ['Simulated Other Carrier', ['+12065550195']],
    ],
  )
})

test('the README shows the tables and the diagram that the code has', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  assert.ok(readme.includes(scenariosMarkdown()), `put this into the README:\n${scenariosMarkdown()}`)
  assert.ok(readme.includes(portOrders.mermaid()), `put this into the README:\n${portOrders.mermaid()}`)
})

function scenariosMarkdown(): string {
  const pins: [string, string][] = [
    [
      'none, or any other',
      'Accepts after an hour, with a completion date in three business days or on the desired date, whichever is later. Completes at 08:00 that day.',
    ],
    ...simulatedPins.map((row): [string, string] => [`\`${row.key}\``, row.description]),
    [
      'a code from the catalog',
      'Rejects once with this code (`7401`, `8A` or `account_number_mismatch`), then accepts.',
    ],
  ]
  const numbers = simulatedNumbers.map((row): [string, string] => [`…\`${row.key}\``, row.description])
  return `${table('PIN', pins)}\n\n${table('Number ends in', numbers)}\n`
}

const table = (head: string, rows: readonly (readonly [string, string])[]) =>
  [`| ${head} | What happens |`, '|---|---|', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n')
