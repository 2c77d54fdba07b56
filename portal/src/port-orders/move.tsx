import { terminal } from '@demarc/client/rules'
import { useToday } from '../clock.ts'
import { Card, Day, Soft, Stack, StageStrip, Time } from '../ui/index.ts'
import css from './order.module.css'
import {
  becomesText,
  daysLeftText,
  meaningOf,
  stageOf,
  stages,
  type PortOrder,
  type PortOrderAttributes,
} from './words.ts'

const moves = {
  account: 'Waiting on you',
  operator: 'Waiting on us',
  carrier: 'Waiting on the losing carrier',
  nobody: 'Order closed',
} as const satisfies Record<PortOrderAttributes['next']['who'], string>

/** What the order is waiting on, and the deadline. */
export function Move({ order: { attributes } }: { order: PortOrder }) {
  const { status, next, presets_waiting } = attributes
  const at = stageOf[status]
  return (
    <Card>
      <Stack gap="narrow">
        {at !== null && <StageStrip label="Progress" stages={stages} at={at} meaning={meaningOf(status)} />}
        <div className={css.move} role="status">
          <h2>{status === 'Completed' ? 'Port complete' : moves[next.who]}</h2>
          <p>{next.what}</p>
        </div>
        <Until order={attributes} />
        {presets_waiting !== null && (
          <Soft as="p">
            {presets_waiting.presets.map((each) => waitingText[each]).join(' and ')} will be set at{' '}
            <Time at={presets_waiting.until} />.
          </Soft>
        )}
      </Stack>
    </Card>
  )
}

const waitingText = { cnam_id: 'Caller ID name', e911_id: 'Emergency address' } as const

/** The agreed date, or when an inactive order is closed. */
function Until({ order }: { order: PortOrderAttributes }) {
  const today = useToday()
  const { status, completion_date, desired_completion_date, next, status_updated_at } = order
  if (status === 'Completed' || terminal(status))
    return status_updated_at === null ? null : (
      <Soft as="p">
        Since <Time at={status_updated_at} />.
      </Soft>
    )
  if (status === 'Accepted' && completion_date !== null)
    return (
      <p>
        FOC date{' '}
        <strong>
          <Day value={completion_date} weekday />
        </strong>
        : {daysLeftText(completion_date, today, order)}. Keep your old service until then.
      </p>
    )
  return (
    <Soft as="p">
      {next.due_at !== null && next.becomes !== null && (
        <>
          Until <Time at={next.due_at} date />. {becomesText(next.becomes)}{' '}
        </>
      )}
      {desired_completion_date !== null && (
        <>
          Requested date: <Day value={desired_completion_date} weekday />.
        </>
      )}
    </Soft>
  )
}
