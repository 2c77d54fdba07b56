import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { fieldError, useChange, type Body } from '../../api.ts'
import { FormDialog } from '../../shell/form-dialog.tsx'
import { TextField } from '../../ui/field.tsx'

/** Creates an account and opens its page, where its first owner is invited and its first key created. */
export function NewAccountDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const navigate = useNavigate()
  const create = useChange('createAccount')
  const wrong = fieldError(create.error, 'name')
  const onSuccess = ({ data }: Body<'createAccount'>) => {
    onClose()
    void navigate({ to: '/operator/accounts/$account', params: { account: data.id } })
  }
  return (
    <FormDialog
      title="Create an account"
      verb="Create"
      isPending={create.isPending}
      disabledReason={name.trim() === '' ? 'Enter the customer’s name first.' : null}
      error={wrong === null ? create.error : null}
      onSend={() =>
        create.mutate({ body: { data: { type: 'account', attributes: { name: name.trim() } } } }, { onSuccess })
      }
      onClose={onClose}
    >
      <TextField
        label="Customer name"
        placeholder="Harbor Dental"
        value={name}
        onChange={setName}
        autoFocus
        hint="Visible to the customer and your team. Two accounts can have the same name; their ids differ."
        error={wrong}
      />
    </FormDialog>
  )
}
