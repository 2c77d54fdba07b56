import { useReadOnlyReason } from '../account.ts'
import { useChange, useRead, type Body } from '../api.ts'
import { Refused } from '../shell/refused.tsx'
import { Button, Card, Day, Row, Stack, StatusOf, type StatusWords } from '../ui/index.ts'

/** A port-out of a number, as its customer sees it. */

type Portout = Body<'listPortouts'>['data'][number]

export const portoutWords: StatusWords<Portout['attributes']['status']> = {
  open: { label: 'Open', meaning: 'needs-you' },
  confirmed: { label: 'Confirmed', meaning: 'moving' },
  rejected: { label: 'Rejected', meaning: 'refused' },
  completed: { label: 'Completed', meaning: 'done' },
  canceled: { label: 'Canceled', meaning: 'quiet' },
}

export type OpenPortout = Portout | undefined

/** The open port-out of a number; undefined while loading or without one. */
export function useOpenPortout(number: string): OpenPortout {
  const { data } = useRead('listPortouts', { query: { number, limit: 1 } })
  return data?.data.find(({ attributes: { status } }) => status === 'open' || status === 'confirmed')
}

/** Why a number cannot be released while another carrier asks for it. */
export const releaseDisabledReason = (portout: OpenPortout): string | null =>
  portout === undefined
    ? null
    : `${portout.attributes.gaining_carrier} has asked for this number. It can be released when port-out ${portout.id} is final.`

/** The request, and the customer's response to it. */
export function PortoutCard({ portout }: { portout: Portout }) {
  const { status, gaining_carrier, complete_by, foc_date, customer_response } = portout.attributes
  const respond = useChange('respondToPortout')
  const readOnly = useReadOnlyReason()
  const send = (response: 'authorized' | 'disputed') =>
    respond.mutate({ params: { portout_id: portout.id }, body: { response } })
  return (
    <Card title="Another carrier has asked for this number" aside={<StatusOf words={portoutWords} value={status} />}>
      <Stack gap="narrow">
        <p>
          {gaining_carrier} wants to move it to their network
          {foc_date === null ? (
            <>
              {' '}
              by <Day value={complete_by} weekday />.
            </>
          ) : (
            <>
              {' '}
              on <Day value={foc_date} weekday />.
            </>
          )}{' '}
          {customer_response === null
            ? 'If you did not ask for this, dispute it now.'
            : customer_response === 'disputed'
              ? 'You disputed the request, and the operator reviews it.'
              : 'You authorized the request.'}
        </p>
        <Row>
          {(['authorized', 'disputed'] as const).map((response) => (
            <Button
              key={response}
              kind={response === 'disputed' ? 'danger' : 'secondary'}
              size="small"
              isPending={respond.isPending}
              disabledReason={readOnly ?? (customer_response === response ? 'This is already your response.' : null)}
              onPress={() => send(response)}
            >
              {response === 'disputed' ? 'Dispute: I did not ask for this' : 'Authorize'}
            </Button>
          ))}
        </Row>
        <Refused error={respond.error} onConfirmed={() => respond.reset()} />
      </Stack>
    </Card>
  )
}
