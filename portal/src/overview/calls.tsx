import { countText } from '@demarc/client/rules'
import { use } from 'react'
import { useRead } from '../api.ts'
import { useNow } from '../clock.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Bars, Card, Count, Day, Figures, Money, Skeleton, Stack, TimeZone } from '../ui/index.ts'

const days = 30
const day_ms = 86_400_000

/** Recent calls and their cost, for the account or one number. */
export function Calls({ title = `Calls, last ${days} days`, number }: { title?: string; number?: string }) {
  const zone = use(TimeZone)
  const summary = useRead('summarizeCdrs', { body: { data: bodyOf(useNow(), zone, number) } })
  return (
    <Card title={title}>
      <Loaded query={summary} skeleton={<Skeleton rows={3} tall />}>
        {({ data: { attributes } }) =>
          attributes.num_calls === 0 ? (
            <p>No calls in this period.</p>
          ) : (
            <Stack gap="narrow">
              <Figures
                figures={[
                  ['Calls', <Count key="calls" of={attributes.num_calls} />],
                  ['Minutes', <Count key="minutes" of={Math.round(attributes.billed_seconds / 60)} />],
                  ['Cost', <Money key="cost" amount={attributes.total_cost} rounded />],
                ]}
              />
              <Bars
                label={`Calls per day, last ${days} days`}
                from={<DayOf group={attributes.groups[0]} />}
                to={<DayOf group={attributes.groups.at(-1)} />}
                values={attributes.groups.map(({ key, num_calls }) => ({
                  key,
                  value: num_calls,
                  text: `${key}: ${countText(num_calls, 'call')}`,
                }))}
              />
            </Stack>
          )
        }
      </Loaded>
    </Card>
  )
}

/** A bar's day. */
const DayOf = ({ group }: { group: { key: string } | undefined }) => group !== undefined && <Day value={group.key} />

/** Whole days through the end of today, so the query is stable all day. */
function bodyOf(now: number, timezone: string, number: string | undefined) {
  const end = Math.ceil(now / day_ms) * day_ms
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  return {
    type: 'cdrsummary' as const,
    attributes: {
      group_by: 'day' as const,
      timezone,
      filter_parameters: {
        start_call_start_time: text(end - days * day_ms),
        start_call_end_time: text(end),
        ...(number === undefined ? {} : { destination_numbers: [number], direction: 'inbound' as const }),
      },
    },
  }
}
