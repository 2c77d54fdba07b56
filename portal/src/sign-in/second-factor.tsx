import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { fieldError, refusalOf, sendOnce } from '../api.ts'
import type { SecondFactor, Session, Unfinished } from '../session.ts'
import { Button, Form, Problem } from '../ui/index.ts'
import { ProofField, type TypedProof, getPasskey } from './proofs.tsx'
import css from './sign-in.module.css'

interface SecondFactorFormProps {
  unfinished: Unfinished
  onSignedIn(session: Session): void
  onBack(): void
}

type Typed = Exclude<TypedProof, 'password'>

/** The second factor: a code, a passkey, or a recovery code. */
export function SecondFactorForm({
  unfinished: { ticket, methods, passkey_options },
  onSignedIn,
  onBack,
}: SecondFactorFormProps) {
  const confirm = useMutation({
    mutationFn: async ({ how, code }: { how: SecondFactor; code?: string }) =>
      await sendOnce('confirmSignIn', {
        body:
          how === 'passkey' ? { ticket, passkey: await getPasskey(passkey_options ?? {}) } : { ticket, [how]: code },
      }),
    onSuccess: ({ data }) => onSignedIn(data.session),
  })
  return (
    <div className={css.form}>
      <h2>One more step</h2>
      {confirm.error !== null && <Problem refusal={refusalOf(confirm.error)} />}
      {methods.includes('passkey') && (
        <Button kind="primary" onPress={() => confirm.mutate({ how: 'passkey' })} isPending={confirm.isPending}>
          <KeyRound aria-hidden="true" />
          Use your passkey
        </Button>
      )}
      <CodeForm
        methods={methods.filter((each) => each !== 'passkey')}
        isPending={confirm.isPending}
        error={confirm.error}
        onCode={(how, code) => confirm.mutate({ how, code })}
        onBack={onBack}
      />
    </div>
  )
}

interface CodeFormProps {
  methods: readonly Typed[]
  isPending: boolean
  error: Error | null
  onCode(how: Typed, code: string): void
  onBack(): void
}

function CodeForm({ methods, isPending, error, onCode, onBack }: CodeFormProps) {
  const [method, setMethod] = useState<Typed>(methods.includes('totp') ? 'totp' : 'recovery_code')
  const [code, setCode] = useState('')
  const other: Typed = method === 'totp' ? 'recovery_code' : 'totp'
  return (
    <Form className={css.form} onSend={() => onCode(method, code)}>
      {methods.includes(method) && (
        <>
          <ProofField proof={method} value={code} onChange={setCode} autoFocus error={fieldError(error, method)} />
          <Button
            type="submit"
            kind="primary"
            isPending={isPending}
            disabledReason={code === '' ? 'Enter the code.' : null}
          >
            Sign in
          </Button>
        </>
      )}
      <div className={css.foot}>
        <Button kind="plain" size="small" onPress={onBack}>
          Back
        </Button>
        {methods.includes(other) && (
          <Button kind="plain" size="small" onPress={() => setMethod(other)}>
            {other === 'totp' ? 'Use your authenticator app' : 'Use a recovery code'}
          </Button>
        )}
      </div>
    </Form>
  )
}
