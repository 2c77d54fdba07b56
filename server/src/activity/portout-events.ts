import { because, numbersOf, textOf, type Shown } from './sentences.ts'

const details = ['gaining_carrier', 'requested_due_date', 'foc_date', 'numbers_count', 'numbers']

/** What customers see of the events of port-outs. */
export const portoutEvents: Readonly<Record<string, Shown>> = {
  'portout.requested': {
    sentence: (facts) => `${textOf(facts['gaining_carrier'])} asked to move ${numbersOf(facts)} away.`,
    details,
  },
  'portout.confirmed': {
    sentence: (facts) =>
      `${numbersOf(facts)} will move to ${textOf(facts['gaining_carrier'])} on ${textOf(facts['foc_date'])}.`,
    details,
  },
  'portout.rescheduled': {
    sentence: (facts) =>
      `${numbersOf(facts)} will move to ${textOf(facts['gaining_carrier'])} on ${textOf(facts['foc_date'])} instead.`,
    details,
  },
  'portout.rejected': {
    sentence: (facts) => `The request to move ${numbersOf(facts)} away was rejected${because(facts['reason'])}`,
    details: [...details, 'reason_code', 'reason'],
  },
  'portout.completed': {
    sentence: (facts) => `${numbersOf(facts)} moved to ${textOf(facts['gaining_carrier'])}.`,
    details,
  },
  'portout.canceled': {
    sentence: (facts) => `${textOf(facts['gaining_carrier'])} withdrew its request to move ${numbersOf(facts)} away.`,
    details,
  },
  'portout.responded': {
    sentence: (facts) => `The request to move ${numbersOf(facts)} away was ${textOf(facts['customer_response'])}.`,
    details: [...details, 'customer_response'],
  },
}
