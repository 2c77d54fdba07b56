import { useNavigate, useSearch } from '@tanstack/react-router'
import { use, useState } from 'react'
import { useReadOnlyReason } from '../../account.ts'
import { fieldError, refusalOf, useChange, type Body, useRead } from '../../api.ts'
import { useIsDemo } from '../../clock.ts'
import { instantOfLocal } from '../../call-records/period.ts'
import { Loaded } from '../../shell/loaded.tsx'
import { Page } from '../../shell/page.tsx'
import {
  Button,
  Card,
  EmptyLine,
  EmptyState,
  Link,
  Problem,
  Row,
  Skeleton,
  Soft,
  Stack,
  TextField,
  Time,
  TimeZone,
} from '../../ui/index.ts'
import { EventsTable } from '../audit/events-table.tsx'
import css from '../operator.module.css'
import { operatorTitle, type QueuedOrder } from '../verbs.ts'

/** Moves the demo clock forward and shows what happened. */
export function ClockPage() {
  const { since } = useSearch({ from: '/signed-in/operator/clock' })
  const isDemo = useIsDemo()
  const clock = useRead('getClock', {}, { enabled: isDemo === true })
  if (isDemo === false) return <NoClock />
  return (
    <Page
      title="Demo clock"
      facts="Move the clock forward to run everything that becomes due on the way, in order. The clock never moves back."
      call={{ operation: 'moveClock', input: { body: { advance: '1 day' } }, command: 'demarc clock advance 1 day' }}
    >
      <Loaded query={clock} skeleton={<Skeleton rows={3} />}>
        {({ data: { now } }) => <ClockCard now={now} />}
      </Loaded>
      {since === undefined ? (
        <EmptyState title="Move the clock forward">
          Orders complete on their FOC date, carriers respond, inactive orders close, and files expire. The resulting
          events are then listed here.
        </EmptyState>
      ) : (
        <EventsSince since={since} />
      )}
    </Page>
  )
}

const NoClock = () => (
  <Page title="Demo clock" facts="Simulated time for demos.">
    <EmptyState title="No demo clock">
      This service runs on real time. Start a demo with <code>npm start</code> to get a clock you can move.
    </EmptyState>
  </Page>
)

type Target = { advance: string } | { set: string }

/** The current time and the controls that move it. */
function ClockCard({ now }: { now: string }) {
  const navigate = useNavigate()
  const move = useChange(
    'moveClock',
    () => void navigate({ to: '/operator/clock', search: { since: now }, replace: true }),
  )
  const readOnly = useReadOnlyReason()
  const disabledReason = readOnly ?? (move.isPending ? 'The clock is being moved.' : null)
  const { next, isPending } = useNextFoc(now)
  const to = (body: Target) => move.mutate({ body })
  // the order's line would move the rest
  if (isPending) return <Skeleton rows={3} />
  return (
    <Card title={<span role="status">{move.isPending ? 'Running all due jobs' : <Time at={now} />}</span>}>
      <Stack gap="narrow">
        <Row>
          <Button disabledReason={disabledReason} onPress={() => to({ advance: '1 hour' })}>
            Forward 1 hour
          </Button>
          <Button disabledReason={disabledReason} onPress={() => to({ advance: '1 day' })}>
            Forward 1 day
          </Button>
          <Button
            kind="primary"
            isPending={move.isPending}
            disabledReason={
              disabledReason ?? (next === null ? 'No order has a FOC date. Accept an order in the queue first.' : null)
            }
            onPress={() => next !== null && to({ set: next.at })}
          >
            To next FOC date
          </Button>
        </Row>
        {next !== null && (
          <Soft as="p">
            The next FOC date is for{' '}
            <Link to="/operator/queue" search={{ who: 'all', order: next.order.id }}>
              {operatorTitle(next.order)}
            </Link>{' '}
            of {next.order.attributes.account_name}: <Time at={next.at} />.
          </Soft>
        )}
        <ExactTime disabledReason={disabledReason} error={move.error} onMove={(set) => to({ set })} />
        {move.error !== null && fieldError(move.error, 'set') === null && <Problem refusal={refusalOf(move.error)} />}
      </Stack>
    </Card>
  )
}

/** The next order to complete, and when. */
function useNextFoc(now: string): { next: { order: QueuedOrder; at: string } | null; isPending: boolean } {
  const query = { status: 'Accepted' as const, limit: 200 }
  const { data, isPending } = useRead('listPortOrderQueue', { query })
  return { next: nextFoc(data, now), isPending }
}

function nextFoc(
  queue: Body<'listPortOrderQueue'> | undefined,
  now: string,
): { order: QueuedOrder; at: string } | null {
  for (const order of queue?.data ?? []) {
    const { due_at } = order.attributes.next
    if (due_at !== null && Date.parse(due_at) > Date.parse(now)) return { order, at: due_at }
  }
  return null
}

interface ExactTimeProps {
  disabledReason: string | null
  error: Error | null
  onMove(set: string): void
}

function ExactTime({ disabledReason, error, onMove }: ExactTimeProps) {
  const zone = use(TimeZone)
  const [text, setText] = useState('')
  const instant = instantOfLocal(text, zone)
  return (
    <details className={css.more}>
      <summary>To another time</summary>
      <div className={css.filters}>
        <TextField
          label="Time"
          type="datetime-local"
          hint={zone}
          value={text}
          onChange={setText}
          error={fieldError(error, 'set')}
        />
      </div>
      <Row>
        <Button
          disabledReason={disabledReason ?? (instant === undefined ? 'Choose a time first.' : null)}
          onPress={() => instant !== undefined && onMove(new Date(instant).toISOString())}
        >
          Move clock
        </Button>
      </Row>
    </details>
  )
}

/** Audit entries since the clock was moved. */
function EventsSince({ since }: { since: string }) {
  const query = { from: since, limit: 50 }
  const events = useRead('listEvents', { query })
  return (
    <Card
      title={
        <>
          Events since the move <Time at={since} />
        </>
      }
      flush
    >
      <Loaded query={events} skeleton={<Skeleton rows={5} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyLine>Nothing fell due in that period.</EmptyLine>
          ) : (
            <EventsTable events={data} search={{ from: since }} busy={events.isFetching} />
          )
        }
      </Loaded>
    </Card>
  )
}
