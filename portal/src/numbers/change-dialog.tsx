import { useState } from 'react'
import { ChangeFields } from './change-fields.tsx'
import { ChangeFlow } from './change-flow.tsx'
import { changesOf, isEmpty, type ChangeForm } from './changes.ts'

interface ChangeDialogProps {
  /** The numbers, in E.164 without the plus. */
  values: readonly string[]
  initial: ChangeForm
  onClose(): void
}

/** Sets alias, routes, caller ID and E911 address of one or many numbers to the same. */
export function ChangeDialog({ values, initial, onClose }: ChangeDialogProps) {
  const [form, setForm] = useState(initial)
  return (
    <ChangeFlow
      title={values.length === 1 ? 'Change this number' : `Change ${values.length.toLocaleString('en-US')} numbers`}
      changes={changesOf(values, form)}
      disabledReason={isEmpty(form) ? 'Choose what to change.' : null}
      onClose={onClose}
    >
      <ChangeFields form={form} onChange={setForm} single={values.length === 1} />
    </ChangeFlow>
  )
}
