import { countText } from '@demarc/client/rules'
import { Bars, Card, Columns, Count, Facts, Soft, Status, Time } from '../ui/index.ts'
import { durationText } from '../ui/text.ts'
import { isOverdue, type Summary } from './words.ts'

type Day = Summary['days'][number]

/** The last delivery, its delay, and call records per day. */
export function Arrivals({ of }: { of: Summary }) {
  const { last_received_at, delay_s, days } = of
  const today = days.at(-1)
  if (last_received_at === null || today === undefined) return null
  return (
    <Columns>
      <Card
        title="Now"
        aside={
          isOverdue(of) ? (
            <Status meaning="needs-you">Overdue: check the switch</Status>
          ) : (
            <Status meaning="done">Arriving</Status>
          )
        }
      >
        <Facts
          facts={[
            ['Last delivery', <Time key="last" at={last_received_at} />],
            [
              'Delay',
              delay_s === null ? 'Unknown: it had no calls' : `${durationText(delay_s)} after its latest call ended`,
            ],
            ['Today, UTC', <DayText key="today" day={today} />],
          ]}
        />
      </Card>
      <Card title={`Accepted, last ${days.length} days`} aside={<Soft>Days in UTC; today is last</Soft>}>
        <Bars
          label={barsLabel(days)}
          values={days.map((day) => ({ key: day.day, value: day.accepted, text: textOf(day) }))}
        />
      </Card>
    </Columns>
  )
}

const DayText = ({ day: { deliveries, accepted, rejected } }: { day: Day }) => (
  <>
    <Count of={accepted} /> accepted in {countText(deliveries, 'delivery', 'deliveries')}
    {rejected > 0 && `, ${countText(rejected, 'line')} rejected`}
  </>
)

const textOf = ({ day, deliveries, accepted, rejected }: Day) =>
  `${day}: ${accepted.toLocaleString('en-US')} accepted, ${rejected} rejected, ${countText(deliveries, 'delivery', 'deliveries')}`

function barsLabel(days: readonly Day[]): string {
  const counts = days.map(({ accepted }) => accepted)
  const [least, most] = [Math.min(...counts), Math.max(...counts)].map((count) => count.toLocaleString('en-US'))
  return `Accepted call records by day, from ${least} to ${most}`
}
