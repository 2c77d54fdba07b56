import { useEffect, useState } from 'react'
import { fieldError, useChange } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Secret } from '../ui/secret.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** Sets up an authenticator app: its secret, and then a first code as the proof that the app has it. */
export function TotpDialog({ onClose, onCodes }: { onClose(): void; onCodes(codes: readonly string[]): void }) {
  const begin = useChange('beginTotp')
  const confirm = useChange('confirmTotp')
  const [code, setCode] = useState('')
  const { mutate: start } = begin
  useEffect(() => start({}), [start])
  const send = () =>
    confirm.mutate(
      { body: { code } },
      {
        onSuccess: ({ data }) => {
          onClose()
          onCodes(data.recovery_codes)
        },
      },
    )
  const made = begin.data?.data
  const wrong = fieldError(confirm.error, 'code')
  return (
    <FormDialog
      title="Set up an authenticator app"
      verb="Finish"
      isPending={confirm.isPending}
      whyNot={code === '' ? 'Enter the code that the app shows.' : null}
      error={begin.error ?? (wrong === null ? confirm.error : null)}
      onSend={made === undefined ? () => start({}) : send}
      onClose={onClose}
    >
      {begin.isPending && <Skeleton rows={3} />}
      {made !== undefined && (
        <>
          <p>
            On this device, <a href={made.otpauth_url}>open it in your authenticator app</a>. On another, type this
            secret into the app:
          </p>
          <Secret text={made.secret} label="the secret" />
          <TextField
            label="Code that the app then shows"
            value={code}
            onChange={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            hint="Six digits, which change every 30 seconds."
            error={wrong}
          />
        </>
      )}
    </FormDialog>
  )
}
