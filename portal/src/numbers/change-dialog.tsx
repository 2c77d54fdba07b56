import { useState } from 'react'
import { ChangeFields } from './change-fields.tsx'
import { ChangeFlow } from './change-flow.tsx'
import { changesOf, isEmpty, type ChangeForm } from './changes.ts'

interface ChangeDialogProps {
  /** Numbers in E.164, without the plus. */
  values: readonly string[]
  initial: ChangeForm
  onClose(): void
}

/** Sets the alias, routes, caller ID, and E911 address of one or more numbers. */
export function ChangeDialog({ values, initial, onClose }: ChangeDialogProps) {
  const [form, setForm] = useState(initial)
  return (
    <ChangeFlow
      title={values.length === 1 ? 'Change this number' : `Change ${values.length.toLocaleString('en-US')} numbers`}
      changes={changesOf(values, form)}
      disabledReason={isEmpty(form) ? 'Choose at least one change.' : null}
      onClose={onClose}
    >
      <ChangeFields form={form} onChange={setForm} single={values.length === 1} />
    </ChangeFlow>
  )
}
