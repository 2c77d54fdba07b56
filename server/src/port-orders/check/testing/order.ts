import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { portOrders } from '@demarc/client'
import { usualPin } from '../../carriers/carrier.ts'
import { noFacts } from '../../portability.ts'
import { preflightCheck } from '../../preflight.ts'
import type { CheckedOrder, CheckContext } from '../finding.ts'

/** Monday, 2 June 2025, 10:00 in New York. The 19th is a holiday; 30 days on is Wednesday, 2 July. */
const now = new Date('2025-06-02T14:00:00Z')
export const checkContext: CheckContext = {
  now,
  zone: 'America/New_York',
  calendar: { country: 'US' },
  facts: noFacts,
  pin_form: usualPin,
}

export const validOrder: CheckedOrder = {
  numbers: ['+12065550100', '+12065550101'],
  billing_name: 'Anna Berg',
  billing_number: '+12065550100',
  company: '',
  usage_type: 'Residential',
  street: '88 Pine Street',
  street2: '',
  city: 'Seattle',
  state: 'WA',
  zip: '98101',
  country: 'US',
  provider: 'Old Telephone Company',
  provider_account: '123456789',
  pin: '',
  last_4_ssn: '',
  desired_completion_date: null,
  documents: [{ filename: 'bill.pdf', status: 'uploaded' }],
  loa_signed_at: null,
}
export const business: Partial<CheckedOrder> = { usage_type: 'Business', company: 'Acme Widgets, Inc.' }
export const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1000)

/** An order with one error, and the expected finding. */
export type InvalidOrder = [
  what: string,
  change: Partial<CheckedOrder>,
  code: portOrders.RejectCode,
  severity: 'error' | 'warning',
  field: string,
  suggestion: string | null,
]

/** Declares tests: each order has exactly one finding, which the suggestion corrects. */
export function testFindings(cases: readonly InvalidOrder[]): void {
  for (const [what, change, code, severity, field, suggestion] of cases)
    test(`found: ${what}`, () => {
      const order = { ...validOrder, ...change }
      const findings = preflightCheck(order, checkContext)
      const actual = findings.map((f) => [f.code, f.severity, f.pointer, f.suggestion])
      assert.deepEqual(actual, [[code, severity, `/data/attributes/${field}`, suggestion]])
      assert.match(findings[0]?.message ?? '', /^[\p{Lu}\d"].*\.$/u)
      if (suggestion === null) return
      const remaining = preflightCheck(corrected(order, field, suggestion), checkContext)
      assert.deepEqual(
        remaining.filter((f) => f.pointer === `/data/attributes/${field}`),
        [],
      )
    })
}

function corrected(order: CheckedOrder, field: string, suggestion: string): CheckedOrder {
  const [name = '', index] = field.split('/')
  return index === undefined
    ? { ...order, [name]: suggestion }
    : { ...order, numbers: order.numbers.with(Number(index), suggestion) }
}
