import { dateIn, portOrders } from '@demarc/client'
import { desiredDateError, focDate, isSimple } from '../calendar/porting-interval.ts'
import type { DateError } from '../calendar/porting-interval.ts'
import { loaAge, loaAgeLimits } from '../loa/facts.ts'
import { portabilityOf } from '../portability.ts'
import { splitNumbers } from '../split.ts'
import { at, error, warning } from './finding.ts'
import type { Finding, Rule } from './finding.ts'

/** Checks the numbers, the date and the documents. */

const numbersArePortable: Rule = ({ numbers }, { facts }) =>
  numbers.flatMap((text, i) => {
    const result = portabilityOf(text, facts)
    if (!result.portable) return [error(result.code, at('numbers', i), result.reason)]
    return portOrders.isE164(text)
      ? []
      : [error('number_malformed', at('numbers', i), 'Write it with + and the country code.', result.number)]
  })

const numbersAreUnique: Rule = ({ numbers }) => {
  const first = new Map<string, number>()
  return numbers.flatMap((text, i) => {
    const number = portOrders.readNumber(text)
    if (number === null) return []
    const before = first.get(number)
    if (before !== undefined)
      return [warning('number_on_other_order', at('numbers', i), `Is the same number as entry ${before + 1}.`)]
    first.set(number, i)
    return []
  })
}

const numbersBelongTogether: Rule = ({ numbers, provider }, { facts }) => {
  const { orders } = splitNumbers(numbers, provider, facts)
  if (orders.length < 2) return []
  const reasons = orders.map((o) => `${o.numbers.length} of them: ${o.reason}`)
  return [
    warning(
      'mixed_number_kinds',
      at('numbers'),
      `These numbers will be split into ${orders.length} orders of one group. ${reasons.join(' ')}`,
    ),
  ]
}

const dateCodes = {
  malformed: 'due_date_not_business_day',
  weekend: 'due_date_not_business_day',
  holiday: 'due_date_not_business_day',
  past: 'due_date_out_of_range',
  too_far: 'due_date_out_of_range',
} as const satisfies Record<DateError['code'], Finding['code']>

const dateIsPossible: Rule = (
  { desired_completion_date: desired, numbers, provider },
  { now, zone, calendar, facts },
) => {
  if (desired === null) return []
  const pointer = at('desired_completion_date')
  const date_error = desiredDateError(desired, dateIn(now, zone), calendar)
  const { orders } = splitNumbers(numbers, provider, facts)
  const firsts = orders.map(({ kind, numbers: { length } }) =>
    focDate({
      received_at: now,
      simple: isSimple({ numbers: length, tollfree: kind === 'toll-free' }),
      zone,
      calendar,
    }),
  )
  const first = firsts.sort().at(-1) ?? ''
  if (date_error)
    return [
      error(
        dateCodes[date_error.code],
        pointer,
        date_error.reason,
        date_error.suggestion > first ? date_error.suggestion : first,
      ),
    ]
  return desired >= first
    ? []
    : [
        warning(
          'due_date_unavailable',
          pointer,
          `The losing carrier has until ${first} to port, so it may choose a later date.`,
          first,
        ),
      ]
}

const billIsPresent: Rule = ({ documents }) => {
  const pointer = at('business_documents')
  if (documents.some((d) => d.status === 'uploaded')) return []
  return documents.length > 0
    ? [
        error(
          'document_unreadable',
          pointer,
          `No document could be stored: ${documents.map((d) => d.filename).join(', ')}. Send them again.`,
        ),
      ]
    : [
        warning(
          'invoice_missing',
          pointer,
          'Send the latest bill from the losing carrier, so that the name, address, and account number can be compared with it.',
        ),
      ]
}

const loaIsFresh: Rule = ({ loa_signed_at }, { now }) => {
  if (loa_signed_at === null) return []
  const { age, age_days } = loaAge(loa_signed_at, now)
  const pointer = at('business_documents')
  const signed = `The LOA was signed ${age_days} days ago`
  if (age === 'stale') return [error('loa_expired', pointer, `${signed}. Sign it again.`)]
  return age === 'fresh'
    ? []
    : [warning('loa_expired', pointer, `${signed}; after ${loaAgeLimits.refuse_days} days it must be signed again.`)]
}

export const numberRules: readonly Rule[] = [numbersArePortable, numbersAreUnique, numbersBelongTogether]

export const documentRules: readonly Rule[] = [dateIsPossible, billIsPresent, loaIsFresh]
