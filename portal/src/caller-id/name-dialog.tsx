import { useState, type ReactNode } from 'react'
import { cnamErrors, cnamLimits, cnamStored } from '@demarc/client/rules'
import { fieldError, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { TextField, toast } from '../ui/index.ts'
import css from './caller-id.module.css'

type Cnam = Body<'listCnams'>['data'][number]

/** Requests a name, or changes one that is not approved yet, with a live preview of the phone display. */
export function NameDialog({ changed, onClose }: { changed?: Cnam; onClose(): void }) {
  const [value, setValue] = useState(changed?.attributes.value ?? '')
  const onDone = () => {
    toast(`${cnamStored(value)} is awaiting approval by the operator.`, { kind: 'done' })
    onClose()
  }
  const ask = useChange('createCnam', onDone)
  const change = useChange('updateCnam', onDone)
  const sent = changed === undefined ? ask : change
  const wrong = value === '' ? null : (cnamErrors(value)[0] ?? null)
  const body = { data: { type: 'cnam' as const, attributes: { value } } }
  const send = () =>
    changed === undefined ? ask.mutate({ body }) : change.mutate({ params: { cnam_id: changed.id }, body })
  return (
    <FormDialog
      title={changed === undefined ? 'Request a caller ID name' : `Change ${changed.attributes.value}`}
      verb="Request this name"
      {...sent}
      fields={['value']}
      disabledReason={value === '' ? 'Enter a name first.' : wrong}
      onSend={send}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={value}
        onChange={setValue}
        autoFocus
        aside={`${[...value].length} of ${cnamLimits.length_max}`}
        hint={`Letters, digits, spaces and - _ . , @ + & ' / ". Shown in capitals.`}
        error={wrong ?? fieldError(sent.error, 'value')}
      />
      <PhoneDisplay name={value === '' ? 'YOUR NAME' : cnamStored(value)}>
        as it appears on the phone you call
      </PhoneDisplay>
    </FormDialog>
  )
}

/** An incoming call as a phone shows it: the name in large letters with a line below. */
export function PhoneDisplay({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.phone}>
      <span className={css.name}>{name}</span>
      <span>{children}</span>
    </div>
  )
}
