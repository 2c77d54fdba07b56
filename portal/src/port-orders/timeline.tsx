import { useQuery } from '@tanstack/react-query'
import { useSeen } from '../account.ts'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card, Day, type Meaning, Soft, Time } from '../ui/index.ts'
import css from './order.module.css'
import { eventText, type OrderEvent } from './timeline-words.ts'
import type { PortOrder } from './words.ts'

/** Events shown; the API has longer histories. */
const shown_max = 200

/** The order's timeline, ending with the next step. */
export function Timeline({ order }: { order: PortOrder }) {
  const { completion_date, status, next } = order.attributes
  const events = useQuery(
    q('getPortOrderTimeline', { params: { portorder_id: order.id }, query: { limit: shown_max } }),
  )
  return (
    <Card title="Timeline">
      <Loaded query={events}>
        {({ data }) => (
          <ol>
            {data
              // comments have their own card
              .filter(({ attributes }) => attributes.event_type !== 'portorder.commented')
              .map((event) => (
                <StoryLine key={event.id} event={event} />
              ))}
            {status === 'Accepted' && completion_date !== null && (
              <li className={css.line}>
                <p>Next: the numbers are ported.</p>
                <Soft as="p">
                  <Day value={completion_date} weekday />
                </Soft>
              </li>
            )}
            {next.who !== 'nobody' && status !== 'Accepted' && (
              <li className={css.line}>
                <p>Next: {next.what}</p>
              </li>
            )}
          </ol>
        )}
      </Loaded>
    </Card>
  )
}

function StoryLine({ event: { attributes } }: { event: OrderEvent }) {
  const { text, detail } = eventText(attributes, useSeen().side)
  return (
    <li className={css.line} data-meaning={meanings[attributes.event_type]}>
      <p>{text}</p>
      {detail !== null && <p className={css.detail}>{detail}</p>}
      <Soft as="p">
        <Time at={attributes.occurred_at} />
      </Soft>
    </li>
  )
}

const meanings: Readonly<Record<string, Meaning>> = {
  'portorder.rejected': 'refused',
  'portorder.preset_failed': 'refused',
  'portorder.numbers_failed': 'refused',
  'portorder.numbers_left_behind': 'refused',
  'portorder.file_failed': 'refused',
  'portorder.accepted': 'moving',
  'portorder.rescheduled': 'moving',
  'portorder.submitted': 'moving',
  'portorder.completed': 'done',
}
