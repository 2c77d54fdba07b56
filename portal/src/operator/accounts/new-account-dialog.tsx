import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { fieldError, useChange, type Body } from '../../api.ts'
import { FormDialog } from '../../shell/form-dialog.tsx'
import { TextField } from '../../ui/field.tsx'

/** Creates an account, and goes on to it: there its first owner and its first key are made. */
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
      verb="Create it"
      isPending={create.isPending}
      disabledReason={name.trim() === '' ? 'Write whose account it is first.' : null}
      error={wrong === null ? create.error : null}
      onSend={() =>
        create.mutate({ body: { data: { type: 'account', attributes: { name: name.trim() } } } }, { onSuccess })
      }
      onClose={onClose}
    >
      <TextField
        label="Name of the holder"
        placeholder="Harbor Dental"
        value={name}
        onChange={setName}
        autoFocus
        hint="Holders and your people read it. Two accounts may have the same name; their ids differ."
        error={wrong}
      />
    </FormDialog>
  )
}
