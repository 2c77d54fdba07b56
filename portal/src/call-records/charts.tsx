import { use } from 'react'
import type { CdrFilterInput } from '@demarc/client'
import { type Body, useList } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import {
  Bars,
  Card,
  type Column,
  Columns,
  Count,
  Day,
  FilterBy,
  Money,
  Skeleton,
  Soft,
  Stack,
  Table,
  TimeZone,
} from '../ui/index.ts'
import css from './call-records.module.css'
import type { Division } from './search.ts'
import { countryName } from './words.ts'

type Group = Body<'summarizeCdrs'>['data']['attributes']['groups'][number]

const labels = {
  day: 'By day',
  direction: 'By direction',
  country: 'By country',
  fee: 'By fee',
} as const satisfies Record<Division, string>

const feeNames: Readonly<Record<string, string>> = {
  cost_subtotal: 'Call charges',
  connect_fee: 'Connect fees',
  usf_fee: 'Universal Service Fund',
  ccrf: 'Cost recovery (CCRF)',
  cnam_lookup_fee: 'Caller ID lookups',
}

interface ChartsProps {
  parameters: CdrFilterInput
  by: Division
  onBy(by: Division | undefined): void
}

/** Call totals by one dimension, as a chart with its table. */
export function Charts({ parameters, by, onBy }: ChartsProps) {
  const timezone = use(TimeZone)
  const attributes = { group_by: by, timezone, filter_parameters: parameters }
  const summary = useList('summarizeCdrs', { body: { data: { type: 'cdrsummary' as const, attributes } } })
  return (
    <Card
      title="Breakdown"
      aside={
        <FilterBy
          label="Breakdown"
          labels={labels}
          value={by}
          onChange={(next) => onBy(next === 'day' ? undefined : next)}
        />
      }
    >
      <Loaded query={summary} skeleton={<Skeleton rows={6} />}>
        {({ data: { attributes: found } }) => {
          if (found.num_calls === 0) return <Soft as="p">No calls match.</Soft>
          // until the next totals arrive, the chart shows the previous dimension
          const rows = found.others === null ? found.groups : [...found.groups, { key: others, ...found.others }]
          return found.group_by === 'day' ? <Days days={rows} /> : <Shares by={found.group_by} rows={rows} />
        }}
      </Loaded>
    </Card>
  )
}

const others = 'Other'

const figures: readonly Column<Group>[] = [
  { title: 'Calls', align: 'end', cell: ({ num_calls }) => <Count of={num_calls} /> },
  { title: 'Minutes', align: 'end', cell: (group) => <Count of={minutesOf(group)} /> },
  { title: 'Cost', align: 'end', cell: ({ total_cost }) => <Money amount={total_cost} rounded /> },
]

const dayColumns: readonly Column<Group>[] = [
  { title: 'Day', head: true, cell: ({ key }) => <Day value={key} /> },
  ...figures,
]

const minutesOf = ({ billed_seconds }: Group): number => Math.round(billed_seconds / 60)

function Days({ days }: { days: readonly Group[] }) {
  const bars = (of: (group: Group) => number, unit: string) =>
    days.map((group) => ({ key: group.key, value: of(group), text: `${group.key}: ${of(group)} ${unit}` }))
  const [first, last] = [days[0], days.at(-1)]
  const ends =
    first === undefined || last === undefined ? {} : { from: <Day value={first.key} />, to: <Day value={last.key} /> }
  return (
    <Columns>
      <Stack gap="narrow">
        <h3>Calls per day</h3>
        <Bars label="Calls per day" values={bars(({ num_calls }) => num_calls, 'calls')} {...ends} />
        <h3>Minutes per day</h3>
        <Bars label="Minutes per day" values={bars(minutesOf, 'minutes')} {...ends} />
      </Stack>
      <div className={css.tall}>
        <Table label="Calls by day" columns={dayColumns} rows={days.toReversed()} keyOf={({ key }) => key} dense />
      </div>
    </Columns>
  )
}

/** Fees split the cost; every other dimension splits the calls. */
function Shares({ by, rows }: { by: string; rows: readonly Group[] }) {
  const sizeOf = (group: Group) => (by === 'fee' ? Number(group.total_cost) : group.num_calls)
  const most = Math.max(...rows.map(sizeOf))
  const columns: readonly Column<Group>[] = [
    { title: titles[by] ?? 'Name', head: true, cell: ({ key }) => nameOf(by, key) },
    {
      title: by === 'fee' ? 'Share of the cost' : 'Share of the calls',
      cell: (group) => <Bar share={most === 0 ? 0 : sizeOf(group) / most} />,
    },
    ...figures,
  ]
  return <Table label={`Calls by ${by}`} columns={columns} rows={rows} keyOf={({ key }) => key} />
}

const titles: Readonly<Record<string, string>> = { direction: 'Direction', country: 'Country', fee: 'Fee' }

function nameOf(by: string, key: string): string {
  if (key === '') return 'Unknown'
  if (by === 'fee') return feeNames[key] ?? key
  return countryName(key) ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`
}

/** A bar; the table states the same figures. */
const Bar = ({ share }: { share: number }) => (
  <svg className={css.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect width={share * 100} height={8} />
  </svg>
)
