import { useState } from 'react'
import { editAllowed, transitionsFrom } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { numbersText, orderTitle, statusText, type PortOrder } from './words.ts'

/** Cancels the order after confirming the consequence. */
export function CancelOrder({ order }: { order: PortOrder }) {
  const [open, setOpen] = useState(false)
  const cancel = useChange('cancelPortOrder')
  const readOnly = useReadOnlyReason()
  const { status, numbers_count, provider } = order.attributes
  const allowed = editAllowed('cancel', status)
  const consequence = transitionsFrom(status, 'account', { completion_date_given: false }).find(
    ({ verb }) => verb === 'cancel',
  )
  const send = () =>
    cancel.mutate(
      {
        params: { portorder_id: order.id },
        body: { data: { type: 'portorder', attributes: { status: 'cancelled' } } },
      },
      {
        onSuccess: () => {
          setOpen(false)
          toast('Order canceled.', { kind: 'done' })
        },
      },
    )
  return (
    <>
      <Button disabledReason={readOnly ?? (allowed.ok ? null : allowed.reason)} onPress={() => setOpen(true)}>
        Cancel order
      </Button>
      {open && (
        <ConsequenceDialog
          title={`Cancel ${orderTitle(order)}?`}
          verb="Cancel the order"
          {...cancel}
          onDo={send}
          onClose={() => setOpen(false)}
        >
          The order becomes {consequence === undefined ? 'Canceled' : statusText(consequence.to)}. This can’t be undone.{' '}
          {consequence?.description} {numbersText(numbers_count)} {numbers_count === 1 ? 'stays' : 'stay'} with{' '}
          {provider} and can be ordered again.
        </ConsequenceDialog>
      )}
    </>
  )
}
