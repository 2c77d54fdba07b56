import { countText, deliveryFailureText } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange, type Body } from '../api.ts'
import {
  Button,
  Dialog,
  Facts,
  FilterBy,
  Problem,
  Soft,
  Stack,
  Status,
  StatusOf,
  type StatusWords,
  Time,
  toast,
} from '../ui/index.ts'
import css from './developers.module.css'

export type Delivery = Body<'listNotifications'>['data'][number]
type State = Delivery['attributes']['status']

const deliveryWords: StatusWords<State> = {
  pending: { label: 'Pending', meaning: 'moving' },
  delivered: { label: 'Delivered', meaning: 'done' },
  failed: { label: 'Failed', meaning: 'refused' },
  stopped: { label: 'Stopped', meaning: 'quiet' },
}

/** The status of a delivery. A failed attempt that will be retried is not just pending. */
export const DeliveryState = ({ status, attempts }: Pick<Delivery['attributes'], 'status' | 'attempts'>) =>
  status === 'pending' && attempts.length > 0 ? (
    <Status meaning="needs-you">Retrying</Status>
  ) : (
    <StatusOf words={deliveryWords} value={status} />
  )

/** Filters deliveries by status. */
export const DeliveryFilter = (props: { value: State | undefined; onChange(next: State | undefined): void }) => (
  <FilterBy label="Status" labels={deliveryWords} {...props} />
)

/** The number of attempts; opens their details. */
export function AttemptsButton({ of, open }: { of: Delivery; open(delivery: Delivery): void }) {
  const { attempts, event_type } = of.attributes
  const text = countText(attempts.length, 'attempt')
  return (
    <Button size="small" aria-label={`${text}: ${event_type}, delivery ${of.id}`} onPress={() => open(of)}>
      {text}
    </Button>
  )
}

interface AttemptsDialogProps {
  delivery: Delivery
  replay: 'replayNotification' | 'replayNotificationAsOperator'
  onClose(): void
}

/** Each attempt at a delivery, and the button that resends it. */
export function AttemptsDialog({ delivery: { id, attributes }, replay: operation, onClose }: AttemptsDialogProps) {
  const replay = useChange(operation, () => {
    toast('Resending.', { kind: 'done' })
    onClose()
  })
  const disabledReason = useReadOnlyReason()
  const { event_type, url, attempts, next_attempt_at } = attributes
  const send = () => replay.mutate({ params: { notification_id: id } })
  return (
    <Dialog
      title={event_type}
      isOpen
      onClose={onClose}
      wide
      verbs={
        <Button kind="primary" isPending={replay.isPending} disabledReason={disabledReason} onPress={send}>
          Resend
        </Button>
      }
    >
      <Stack gap="narrow">
        <Facts
          facts={[
            ['To', url],
            ['Status', <DeliveryState key="status" {...attributes} />],
            ['Next attempt', next_attempt_at === null ? 'None' : <Time key="next" at={next_attempt_at} />],
          ]}
        />
        {attempts.length === 0 && <p>No attempts yet.</p>}
        <Attempts of={attempts} />
        {replay.error !== null && <Problem refusal={refusalOf(replay.error)} />}
      </Stack>
    </Dialog>
  )
}

const Attempts = ({ of }: { of: Delivery['attributes']['attempts'] }) => (
  <ol className={css.attempts}>
    {of.map(({ attempted_at, response_status, failure, duration_ms }) => (
      <li key={attempted_at}>
        <Status meaning={failure === null ? 'done' : 'refused'}>{response_status ?? 'No response'}</Status>
        <span>
          {failure !== null && response_status === null && `${deliveryFailureText(failure)} `}
          <Soft>
            <Time at={attempted_at} />, {duration_ms.toLocaleString('en-US')} ms
          </Soft>
        </span>
      </li>
    ))}
  </ol>
)
