import { counted, numbersOf, textOf, wereOf, type Shown } from './sentences.ts'

/** What customers see of ordering, reserving, and releasing numbers. */

const named = ['numbers_count', 'numbers']

export const numberOrderEvents: Readonly<Record<string, Shown>> = {
  'number.ordered': {
    sentence: () => 'The number was ordered.',
    details: ['monthly_cost', 'setup_cost', 'numberorder_id'],
  },
  'number.released': {
    sentence: () => 'The number was released with everything assigned to it.',
    details: ['returns_to', 'aging_until', 'e911_id', 'cnam_id'],
  },
  'number.restored': { sentence: () => 'The released number was restored.' },
  'numberorder.completed': {
    sentence: (facts) =>
      `An order got ${counted(facts['ordered_count'], 'number', 'numbers')} and missed ${counted(facts['missing_count'], 'number', 'numbers')}.`,
    details: ['status', 'ordered_count', 'missing_count'],
  },
  'numberreservation.created': {
    sentence: (facts) => `${numbersOf(facts)} ${wereOf(facts)} reserved.`,
    details: named,
  },
  'numberreservation.extended': {
    sentence: (facts) => `The reservation of ${numbersOf(facts)} was extended.`,
    details: named,
  },
  'numberreservation.released': {
    sentence: (facts) => `The reservation of ${numbersOf(facts)} was released.`,
    details: named,
  },
  'numberreservation.expired': {
    sentence: (facts) => `The reservation of ${numbersOf(facts)} expired.`,
    details: named,
  },
  'numberorder.submitted': {
    sentence: () => 'A number order is awaiting the carrier’s approval.',
    details: ['missing_count'],
  },
  'numberorder.approved': {
    sentence: (facts) =>
      `The carrier approved a number order, and ${counted(facts['ordered_count'], 'number was', 'numbers were')} ordered.`,
    details: ['status', 'ordered_count', 'missing_count'],
  },
  'numberorder.rejected': { sentence: () => 'The carrier rejected a number order.', details: ['reason'] },
  'numberorder.canceled': { sentence: () => 'A number order was canceled.' },
  'numberorder.expired': { sentence: () => 'A number order expired because the carrier did not approve it.' },
  'number_policy.changed': {
    sentence: () => 'The account’s limits on orders and reservations were changed.',
    details: ['numbers_max', 'reserved_max', 'approval', 'approval_quantity_max', 'approval_monthly_cost_max'],
  },
  'account_price.changed': {
    sentence: (facts) => `The account’s own price for the price class ${textOf(facts['price_class'])} was set.`,
    details: ['monthly_cost', 'setup_cost'],
  },
  'account_price.removed': {
    sentence: (facts) => `The account’s own price for the price class ${textOf(facts['price_class'])} was removed.`,
  },
}
