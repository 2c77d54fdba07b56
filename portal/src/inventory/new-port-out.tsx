import { portouts as api } from '@demarc/client'
import { useState } from 'react'
import { fieldError, useChange } from '../api.ts'
import { useToday } from '../clock.ts'
import { readNumbers } from '../port-orders/read-numbers.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Select, TextField } from '../ui/index.ts'

const passcodeLabels = {
  not_set: 'The customer asked for none',
  matched: 'Matches',
  mismatched: 'Does not match',
} as const satisfies Record<(typeof api.passcodeResults)[number], string>

const passcodeOptions = api.passcodeResults.map((value) => ({ value, label: passcodeLabels[value] }))

const fields = [
  { name: 'gaining_carrier', label: 'Gaining carrier', placeholder: 'Lakeview Telephone' },
  { name: 'gaining_spid', label: 'Its SPID', placeholder: '599X' },
  { name: 'reference', label: 'Its order number (PON)', placeholder: 'LV-20417' },
  { name: 'requested_due_date', label: 'Requested due date', placeholder: '2026-12-01' },
] as const

/** Records the request of another carrier. */
export function NewPortoutDialog({ onClose }: { onClose(): void }) {
  const today = useToday()
  const [text, setText] = useState('')
  const [form, setForm] = useState({ gaining_carrier: '', gaining_spid: '', reference: '', requested_due_date: today })
  const [passcode_result, setPasscode] = useState<(typeof api.passcodeResults)[number]>('not_set')
  const create = useChange('createPortout', onClose)
  const { numbers } = readNumbers(text)
  const missing = fields.find(({ name }) => form[name].trim() === '')
  const body = {
    ...form,
    numbers: numbers.map((each) => each.replace('+', '')),
    gaining_spid: form.gaining_spid.trim().toUpperCase(),
    passcode_result,
  }
  return (
    <FormDialog
      title="Record a port-out request"
      verb="Record"
      {...create}
      fields={['numbers', ...fields.map(({ name }) => name)]}
      disabledReason={
        numbers.length === 0 ? 'Enter the numbers first.' : missing ? `Enter this first: ${missing.label}.` : null
      }
      onSend={() => create.mutate({ body })}
      onClose={onClose}
    >
      <TextField
        label="Numbers"
        value={text}
        onChange={setText}
        rows={2}
        autoFocus
        hint="Of one account, in any format. The customer is notified."
        error={fieldError(create.error, 'numbers')}
      />
      {fields.map(({ name, label, placeholder }) => (
        <TextField
          key={name}
          {...{ label, placeholder }}
          value={form[name]}
          onChange={(value) => setForm({ ...form, [name]: value })}
          error={fieldError(create.error, name)}
        />
      ))}
      <Select label="Passcode" options={passcodeOptions} value={passcode_result} onChange={setPasscode} />
    </FormDialog>
  )
}
