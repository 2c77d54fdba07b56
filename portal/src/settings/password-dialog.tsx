import { useState } from 'react'
import { useSession } from '../account.ts'
import { fieldError, useChange } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { NewPasswordField, ProofField } from '../sign-in/proofs.tsx'
import { toast } from '../ui/index.ts'

/** Changes or sets the person's password. */
export function PasswordDialog({ onClose }: { onClose(): void }) {
  const { has_password } = useSession().person
  const [before, setBefore] = useState('')
  const [next, setNext] = useState('')
  const change = useChange('changePassword', () => {
    toast('Password changed. All your other sessions were signed out.', { kind: 'done' })
    onClose()
  })
  const send = () => change.mutate({ body: { ...(has_password && { current_password: before }), new_password: next } })
  const missing = (has_password && before === '') || next === ''
  return (
    <FormDialog
      title={has_password ? 'Change the password' : 'Set a password'}
      verb={has_password ? 'Change the password' : 'Set the password'}
      {...change}
      disabledReason={missing ? 'Fill in the fields first.' : null}
      onSend={send}
      onClose={onClose}
    >
      {has_password && (
        <ProofField
          proof="password"
          label="Current password"
          autoFocus
          value={before}
          onChange={setBefore}
          error={fieldError(change.error, 'current_password')}
        />
      )}
      <NewPasswordField
        label="New password"
        autoFocus={!has_password}
        value={next}
        onChange={setNext}
        error={fieldError(change.error, 'new_password')}
      />
      <p>This signs out all your other sessions.</p>
    </FormDialog>
  )
}
