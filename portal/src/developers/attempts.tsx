import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange, type Body } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FilterChips } from '../ui/filter-bar.tsx'
import { Facts, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status, type Meaning } from '../ui/status.tsx'
import { toast } from '../ui/toast.tsx'
import { Time } from '../ui/values.tsx'
import css from './developers.module.css'
import { deliveryStates } from './search.ts'

export type Delivery = Body<'listNotifications'>['data'][number]
type State = Delivery['attributes']['status']

const deliveryWords: Readonly<Record<State, { label: string; meaning: Meaning }>> = {
  pending: { label: 'On its way', meaning: 'moving' },
  delivered: { label: 'Delivered', meaning: 'done' },
  failed: { label: 'Failed', meaning: 'refused' },
  stopped: { label: 'Stopped', meaning: 'quiet' },
}

const failures: Readonly<Record<string, string>> = {
  bad_url: 'The URL is not one that notifications are sent to.',
  port_refused: 'The port is not one that notifications are sent to.',
  address_refused: 'The address is not on the public internet.',
  no_public_address: 'The name was not found, or has no address on the public internet.',
  connect_failed: 'Nothing accepted the connection.',
  tls_failed: 'The certificate is not valid for this name.',
  timeout: 'No complete response within 10 seconds.',
  connection_lost: 'The connection ended before the response did.',
  bad_response: 'The response is not valid HTTP.',
  too_many_redirects: 'It redirects more than three times.',
  redirect_not_followed: 'It redirects in a way that is not followed.',
  gone: 'The receiver wants no more.',
}

/** Why an attempt failed, as a sentence. */
export function failureText(failure: string): string {
  const status = /^status_(\d{3})$/.exec(failure)?.[1]
  return status === undefined ? (failures[failure] ?? failure) : `The receiver responded with ${status}.`
}

/** Where a delivery is. One that was tried and did not arrive is not simply on its way. */
export const DeliveryState = ({ status, attempts }: Pick<Delivery['attributes'], 'status' | 'attempts'>) =>
  status === 'pending' && attempts.length > 0 ? (
    <Status meaning="needs-you">Tried again later</Status>
  ) : (
    <Status meaning={deliveryWords[status].meaning}>{deliveryWords[status].label}</Status>
  )

/** Chooses deliveries by where they are. */
export const DeliveryFilter = ({
  of,
  onChange,
}: {
  of: State | undefined
  onChange(next: State | undefined): void
}) => (
  <FilterChips
    label="Status"
    options={deliveryStates.map((value) => ({ value, label: deliveryWords[value].label }))}
    value={of ?? null}
    onChange={(next) => onChange(next ?? undefined)}
  />
)

/** How often a delivery was tried; opens how each attempt went. */
export function AttemptsButton({ of, open }: { of: Delivery; open(delivery: Delivery): void }) {
  const { attempts, event_type } = of.attributes
  const text = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  return (
    <Button size="small" aria-label={`${text}: ${event_type}, delivery ${of.id}`} onPress={() => open(of)}>
      {text}
    </Button>
  )
}

/** How each attempt at a delivery went, and sending it again. */
export function AttemptsDialog({
  delivery: { id, attributes },
  replay: operation,
  onClose,
}: {
  delivery: Delivery
  replay: 'replayNotification' | 'replayNotificationAsOperator'
  onClose(): void
}) {
  const replay = useChange(operation)
  const disabledReason = useReadOnlyReason()
  const { event_type, url, attempts, next_attempt_at } = attributes
  const send = () =>
    replay.mutate(
      { params: { notification_id: id } },
      {
        onSuccess: () => {
          toast('It is sent again.', { kind: 'done' })
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={event_type}
      isOpen
      onClose={onClose}
      wide
      verbs={
        <Button kind="primary" isPending={replay.isPending} disabledReason={disabledReason} onPress={send}>
          Send it again
        </Button>
      }
    >
      <Stack gap="narrow">
        <Facts
          facts={[
            [
              'To',
              <span key="url" className={css.url}>
                {url}
              </span>,
            ],
            ['Status', <DeliveryState key="status" {...attributes} />],
            ['Next attempt', next_attempt_at === null ? 'None' : <Time key="next" at={next_attempt_at} />],
          ]}
        />
        {attempts.length === 0 && <p>It has not been tried yet.</p>}
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
          {failure !== null && response_status === null && `${failureText(failure)} `}
          <Soft>
            <Time at={attempted_at} />, {duration_ms.toLocaleString('en-US')} ms
          </Soft>
        </span>
      </li>
    ))}
  </ol>
)
