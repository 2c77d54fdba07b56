import { editAllowed, transitionsFrom } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { useDialog } from '../shell/change-buttons.tsx'
import { Button, toast } from '../ui/index.ts'
import { numbersText, orderTitle, statusText, type PortOrder } from './words.ts'

/** Cancels the order after confirming the consequence. */
export function CancelOrder({ order }: { order: PortOrder }) {
  const [dialog, open] = useDialog()
  const readOnly = useReadOnlyReason()
  const allowed = editAllowed('cancel', order.attributes.status)
  return (
    <>
      <Button
        disabledReason={readOnly ?? (allowed.ok ? null : allowed.reason)}
        onPress={() => open((close) => <CancelDialog order={order} onClose={close} />)}
      >
        Cancel order
      </Button>
      {dialog}
    </>
  )
}

function CancelDialog({ order, onClose }: { order: PortOrder; onClose(): void }) {
  const cancel = useChange('cancelPortOrder', () => {
    onClose()
    toast('Order canceled.', { kind: 'done' })
  })
  const { status, numbers_count, provider } = order.attributes
  const consequence = transitionsFrom(status, 'account', { completion_date_given: false }).find(
    ({ verb }) => verb === 'cancel',
  )
  const params = { portorder_id: order.id }
  const body = { data: { type: 'portorder' as const, attributes: { status: 'cancelled' as const } } }
  return (
    <ConsequenceDialog
      title={`Cancel ${orderTitle(order)}?`}
      verb="Cancel the order"
      {...cancel}
      onDo={() => cancel.mutate({ params, body })}
      onClose={onClose}
    >
      The order becomes {consequence === undefined ? 'Canceled' : statusText(consequence.to)}. This can’t be undone.{' '}
      {consequence?.description} {numbersText(numbers_count)} {numbers_count === 1 ? 'stays' : 'stay'} with {provider}{' '}
      and can be ordered again.
    </ConsequenceDialog>
  )
}
