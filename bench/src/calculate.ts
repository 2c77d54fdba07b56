import { readArguments, refuseArguments } from '../../acceptance/support/arguments.ts'
import { assumptions, costsOf, planOf, sizeOf, type Size } from './plan.ts'
import { readResults } from './results.ts'

const USAGE = `npm run capacity -- --accounts N --calls-per-day N [options]: what an installation of this size needs.

  --accounts N              accounts
  --calls-per-day N         call records that arrive in a day
  --numbers-per-account N   20 unless given
  --months N                for how long call records are kept; 13 unless given
  --requests-per-second N   requests for lists and changes; one per 100 accounts unless given
  --cores N                 of one machine; 8 unless given
  --disk-tb N               of one machine; 2 unless given
  --help                    this text`

const option = { type: 'string' } as const
const { values } = readArguments(USAGE, {
  options: {
    accounts: option,
    'calls-per-day': option,
    'numbers-per-account': option,
    months: option,
    'requests-per-second': option,
    cores: option,
    'disk-tb': option,
  },
})

function countOf(name: keyof typeof values, otherwise?: number): number {
  const text = values[name]
  if (text === undefined && otherwise !== undefined) return otherwise
  if (text === undefined || !/^[1-9]\d{0,12}$/.test(text))
    refuseArguments(
      `--${name} must be a whole number from 1 to 9,999,999,999,999${text === undefined ? '' : `, not ${text}`}.`,
      USAGE,
    )
  return Number(text)
}

const defaults = sizeOf(countOf('accounts'), countOf('calls-per-day'))
const size: Size = {
  ...defaults,
  numbers_per_account: countOf('numbers-per-account', defaults.numbers_per_account),
  months: countOf('months', defaults.months),
  requests_per_second: countOf('requests-per-second', defaults.requests_per_second),
  cores: countOf('cores', defaults.cores),
  disk_tb: countOf('disk-tb', defaults.disk_tb),
}
const { rows, layout, first } = planOf(size, costsOf(readResults()))
const width = Math.max(...rows.map(([what]) => what.length))
console.log(`${rows.map(([what, value]) => `${what.padEnd(width)}  ${value}`).join('\n')}

${layout}
One machine with ${size.cores} cores and ${size.disk_tb} TB first runs out of ${first}.

${assumptions().join('\n')}
Costs of one of each: bench/results.json, measured on ${readResults()['capacity']?.machine}.`)
