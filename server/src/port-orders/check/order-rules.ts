import { dateIn } from '@demarc/client'
import { desiredDateFault, focDate, isSimple } from '../calendar/porting-interval.ts'
import type { DateFault } from '../calendar/porting-interval.ts'
import { loaAge, loaAgeLimits } from '../loa/age.ts'
import { isE164, portabilityOf, readNumber } from '../portability.ts'
import { splitNumbers } from '../split.ts'
import { at, error, warning } from './finding.ts'
import type { Finding, Rule } from './finding.ts'

/** The numbers, the date and the papers. */

export const numbersArePortable: Rule = ({ numbers }, { known }) =>
  numbers.flatMap((text, i) => {
    const judged = portabilityOf(text, known)
    if (!judged.portable) return [error(judged.code, at('numbers', i), judged.because)]
    return isE164(text)
      ? []
      : [error('number_malformed', at('numbers', i), 'Write it with + and country code.', judged.number)]
  })

export const numbersStandOnce: Rule = ({ numbers }) => {
  const first = new Map<string, number>()
  return numbers.flatMap((text, i) => {
    const number = readNumber(text)
    if (number === null) return []
    const before = first.get(number)
    if (before !== undefined)
      return [warning('number_on_other_order', at('numbers', i), `Is the same number as entry ${before + 1}.`)]
    first.set(number, i)
    return []
  })
}

export const numbersBelongTogether: Rule = ({ numbers, provider }, { known }) => {
  const { orders } = splitNumbers(numbers, provider, known)
  if (orders.length < 2) return []
  const parts = orders.map((o) => `${o.numbers.length} of them: ${o.because}`)
  return [
    warning(
      'mixed_number_kinds',
      at('numbers'),
      `They will be split into ${orders.length} orders of one group. ${parts.join(' ')}`,
    ),
  ]
}

const dateCodes = {
  malformed: 'due_date_not_business_day',
  weekend: 'due_date_not_business_day',
  holiday: 'due_date_not_business_day',
  past: 'due_date_out_of_range',
  too_far: 'due_date_out_of_range',
} as const satisfies Record<DateFault['fault'], Finding['code']>

export const dateIsPossible: Rule = (
  { desired_completion_date: desired, numbers, provider },
  { now, zone, calendar, known },
) => {
  if (desired === null) return []
  const pointer = at('desired_completion_date')
  const fault = desiredDateFault(desired, dateIn(now, zone), calendar)
  const { orders } = splitNumbers(numbers, provider, known)
  const firsts = orders.map(({ kind, numbers: { length } }) =>
    focDate({
      received_at: now,
      simple: isSimple({ numbers: length, tollfree: kind === 'toll-free' }),
      zone,
      calendar,
    }),
  )
  const first = firsts.sort().at(-1) ?? ''
  if (fault)
    return [error(dateCodes[fault.fault], pointer, fault.because, fault.suggestion > first ? fault.suggestion : first)]
  return desired >= first
    ? []
    : [warning('due_date_unavailable', pointer, `The losing carrier has until ${first}.`, first)]
}

export const billIsThere: Rule = ({ documents }) => {
  const pointer = at('business_documents')
  if (documents.some((d) => d.status === 'uploaded')) return []
  return documents.length > 0
    ? [
        error(
          'document_unreadable',
          pointer,
          `None of the documents arrived: ${documents.map((d) => d.filename).join(', ')}. Send them again.`,
        ),
      ]
    : [
        warning(
          'invoice_missing',
          pointer,
          'Send the latest bill of the losing carrier: name, address and account number are compared with it.',
        ),
      ]
}

export const loaIsFresh: Rule = ({ loa_signed_at }, { now }) => {
  if (loa_signed_at === null) return []
  const { age, age_days } = loaAge(loa_signed_at, now)
  const pointer = at('business_documents')
  const signed = `The LOA was signed ${age_days} days ago`
  if (age === 'stale') return [error('loa_expired', pointer, `${signed}. Sign it again.`)]
  return age === 'fresh'
    ? []
    : [warning('loa_expired', pointer, `${signed}; after ${loaAgeLimits.refuse_days} days it has to be signed again.`)]
}
