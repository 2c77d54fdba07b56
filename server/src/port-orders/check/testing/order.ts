import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { portOrders } from '@demarc/client'
import { nothingKnown } from '../../portability.ts'
import { examine } from '../examine.ts'
import type { Patient, Surroundings } from '../examine.ts'

/** Monday, 2 June 2025, 10:00 in New York. The 19th is a holiday; 30 days on is Wednesday, 2 July. */
const now = new Date('2025-06-02T14:00:00Z')
export const surroundings: Surroundings = {
  now,
  zone: 'America/New_York',
  calendar: { country: 'US' },
  known: nothingKnown,
}

export const healthy: Patient = {
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
export const business: Partial<Patient> = { usage_type: 'Business', company: 'Acme Widgets, Inc.' }
export const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1000)

/** An order with one thing wrong, and exactly what has to be found. */
export type Sick = [
  what: string,
  change: Partial<Patient>,
  code: portOrders.RejectCode,
  severity: 'error' | 'warning',
  field: string,
  suggestion: string | null,
]

/** Each order has its one finding and no other, and what is suggested heals it. */
export function finds(sick: readonly Sick[]): void {
  for (const [what, change, code, severity, field, suggestion] of sick)
    test(`found: ${what}`, () => {
      const patient = { ...healthy, ...change }
      const found = examine(patient, surroundings)
      const seen = found.map((f) => [f.code, f.severity, f.pointer, f.suggestion])
      assert.deepEqual(seen, [[code, severity, `/data/attributes/${field}`, suggestion]])
      assert.match(found[0]?.message ?? '', /^[\p{Lu}\d"].*\.$/u)
      if (suggestion === null) return
      const left = examine(healed(patient, field, suggestion), surroundings)
      assert.deepEqual(
        left.filter((f) => f.pointer === `/data/attributes/${field}`),
        [],
      )
    })
}

function healed(patient: Patient, field: string, suggestion: string): Patient {
  const [name = '', index] = field.split('/')
  return index === undefined
    ? { ...patient, [name]: suggestion }
    : { ...patient, numbers: patient.numbers.with(Number(index), suggestion) }
}
