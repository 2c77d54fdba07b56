import { portouts as api } from '@demarc/client'
import { useState } from 'react'
import { fieldError, useChange, type Body } from '../api.ts'
import { useToday } from '../clock.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Select, Soft, TextField } from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'

type PortoutTransition = api.PortoutTransition

/** The clerk's verbs, by the event of the transition. */
const verbs = {
  confirmed: { label: 'Confirm', title: 'Confirm the port-out' },
  rescheduled: { label: 'Change date', title: 'Change the FOC date' },
  rejected: { label: 'Reject', title: 'Reject the port-out' },
  completed: { label: 'Complete', title: 'Complete the port-out' },
  canceled: { label: 'Cancel', title: 'Cancel the port-out' },
} as const satisfies Record<PortoutTransition['event'], { label: string; title: string }>

export const verbOf = ({ event }: PortoutTransition) => verbs[event]

const reasonOptions = api.portoutReasonCodes.map((value) => ({ value, label: api.portoutReasons[value] }))

interface PortoutDialogProps {
  portout: Body<'listPortouts'>['data'][number]
  transition: PortoutTransition
  onClose(): void
}

/** One transition of a port-out, with what it needs. */
export function PortoutDialog({ portout: { id, attributes }, transition, onClose }: PortoutDialogProps) {
  const today = useToday()
  const { to, needs, description, event } = transition
  const due = attributes.complete_by < today ? today : attributes.complete_by
  const [foc_date, setDate] = useState(attributes.foc_date ?? due)
  const [reason_code, setReason] = useState<api.PortoutReason | null>(null)
  const change = useChange('changePortout', onClose)
  const send = () => {
    if (to === 'open') return
    const body = {
      status: to,
      ...(needs === 'foc_date' && { foc_date }),
      ...(reason_code !== null && { reason_code }),
    }
    change.mutate({ params: { portout_id: id }, body })
  }
  return (
    <FormDialog
      title={verbOf(transition).title}
      verb={verbOf(transition).label}
      danger={event === 'completed' || event === 'rejected'}
      autoFocus={needs === undefined}
      {...change}
      fields={['foc_date', 'reason_code']}
      disabledReason={needs === 'reason_code' && reason_code === null ? 'Choose a reason first.' : null}
      onSend={send}
      onClose={onClose}
    >
      <p>
        {namesOf(attributes.numbers)} to {attributes.gaining_carrier}, {attributes.reference}
      </p>
      <Soft as="p">{description}</Soft>
      {event === 'completed' && <p>{completion}</p>}
      {needs === 'foc_date' && (
        <TextField
          label="FOC date"
          value={foc_date}
          onChange={setDate}
          autoFocus
          hint={`To complete by ${attributes.complete_by}.`}
          error={fieldError(change.error, 'foc_date')}
        />
      )}
      {needs === 'reason_code' && (
        <Select
          label="Reason"
          options={reasonOptions}
          value={reason_code}
          onChange={setReason}
          error={fieldError(change.error, 'reason_code')}
        />
      )}
    </FormDialog>
  )
}

const completion =
  'The numbers leave the account with their emergency addresses, caller ID names, and voice routes. This can’t be undone.'

const namesOf = ([first = '', ...others]: readonly string[]) =>
  others.length === 0 ? phoneText(first) : `${phoneText(first)} and ${others.length.toLocaleString('en-US')} more`
