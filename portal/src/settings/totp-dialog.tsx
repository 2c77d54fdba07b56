import { lazy, Suspense, useEffect, useState } from 'react'
import { fieldError, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Secret, Skeleton, Stack, TextField } from '../ui/index.ts'
import css from './settings.module.css'

const QrCode = lazy(() => import('./qr-code.tsx'))

/** Sets up an authenticator app and confirms it with a first code. */
export function TotpDialog({ onClose, onCodes }: { onClose(): void; onCodes(codes: readonly string[]): void }) {
  const begin = useChange('beginTotp')
  const confirm = useChange('confirmTotp', ({ data }) => {
    onClose()
    onCodes(data.recovery_codes)
  })
  const [code, setCode] = useState('')
  const { mutate: start } = begin
  useEffect(() => start({}), [start])
  const made = begin.data?.data
  return (
    <FormDialog
      title="Set up an authenticator app"
      verb="Finish"
      isPending={confirm.isPending}
      disabledReason={code === '' ? 'Enter the code shown in the app.' : null}
      error={begin.error ?? confirm.error}
      fields={['code']}
      onSend={() => (made === undefined ? start({}) : confirm.mutate({ body: { code } }))}
      onClose={onClose}
    >
      {begin.isPending && <Skeleton rows={3} />}
      {made !== undefined && (
        <>
          <AppSecret {...made} />
          <TextField
            label="Code shown in the app"
            value={code}
            onChange={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            hint="Six digits that change every 30 seconds."
            error={fieldError(confirm.error, 'code')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Three ways to add the secret to an app. */
function AppSecret({ secret, otpauth_url }: Body<'beginTotp'>['data']) {
  return (
    <div className={css.totp}>
      <Suspense fallback={<Skeleton rows={5} />}>
        <QrCode text={otpauth_url} label="QR code of the secret" />
      </Suspense>
      <Stack gap="narrow">
        <p>Scan the code with the app, or enter this secret:</p>
        <Secret text={secret} label="the secret" />
        <p>
          App on this device? <a href={otpauth_url}>Open app</a>.
        </p>
      </Stack>
    </div>
  )
}
