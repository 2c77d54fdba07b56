import { changePortout, createPortout } from '../src/inventory/index.ts'
import { addNumbers } from '../src/numbers/index.ts'
import { accountOf } from '../src/platform/actor.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { dentist } from './cast.ts'

/** Requests of another carrier for numbers of the dentist: one that is completed, and one that waits for responses. */

/** A number that left the dentist's account. */
const departed = {
  value: '12065550105',
  number_type: 'longcode',
  alias: 'Old fax',
  state: 'WA',
  rate_center: 'SEATTLE',
} as const
const wanted = dentist.numbers[2].value
const carrier = { gaining_carrier: 'Lakeview Telephone', gaining_spid: '599X' } as const

interface PortoutStep {
  days_ago: number
  time: string
  run(at: { dentist: WriteContext; operator: WriteContext }): Promise<unknown>
}

/** What happened, by business days before today. `day` is the date of a business day from today. */
export function portoutSteps(day: (business_days: number) => string): PortoutStep[] {
  let id = ''
  const request = (c: WriteContext, input: { number: string; reference: string; requested_due_date: string }) => {
    const { number, ...facts } = input
    return createPortout(c, { numbers: [number], ...carrier, ...facts })
  }
  return [
    { days_ago: 40, time: '09:10', run: (at) => addNumbers(at.operator, accountOf(at.dentist.actor), [departed]) },
    {
      days_ago: 14,
      time: '10:05',
      run: async ({ operator }) =>
        ({ id } = await request(operator, {
          number: departed.value,
          reference: 'LV-20388',
          requested_due_date: day(-12),
        })),
    },
    {
      days_ago: 14,
      time: '15:40',
      run: ({ operator }) => changePortout(operator, id, { status: 'confirmed', foc_date: day(-12) }),
    },
    { days_ago: 12, time: '11:00', run: ({ operator }) => changePortout(operator, id, { status: 'completed' }) },
    {
      days_ago: 1,
      time: '14:20',
      run: ({ operator }) => request(operator, { number: wanted, reference: 'LV-20417', requested_due_date: day(3) }),
    },
  ]
}
