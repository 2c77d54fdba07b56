import { ConfirmationRequiredError } from '@demarc/client/light'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldError, refusalOf, request } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { getPasskey } from '../sign-in/passkey.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Row, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'

const typed = {
  password: { label: 'Your password now', type: 'password', autoComplete: 'current-password' },
  totp: { label: 'Code of your authenticator app', type: 'text', autoComplete: 'one-time-code' },
  recovery_code: { label: 'Recovery code', type: 'text', autoComplete: 'off' },
} as const

type Typed = keyof typeof typed

/** A refusal. Where the service first wants a proof of who one is, the form for it; what was refused is then sent again. */
export function Refused({ error, onConfirmed }: { error: Error | null; onConfirmed(): void }) {
  if (error === null) return null
  if (!(error instanceof ConfirmationRequiredError)) return <Problem refusal={refusalOf(error)} />
  return <ConfirmIdentity onConfirmed={onConfirmed} />
}

function ConfirmIdentity({ onConfirmed }: { onConfirmed(): void }) {
  const cache = useQueryClient()
  const begun = useQuery({
    queryKey: ['beginConfirmation'],
    queryFn: () => request('beginConfirmation'),
    staleTime: Infinity,
    gcTime: 0,
  })
  const confirm = useMutation({
    mutationFn: async ({ how, code }: { how: Typed | 'passkey'; code: string }) =>
      await request('confirmIdentity', {
        body:
          how === 'passkey' ? { passkey: await getPasskey(begun.data?.data.passkey_options ?? {}) } : { [how]: code },
      }),
    onSuccess: async () => {
      await cache.invalidateQueries()
      onConfirmed()
    },
  })
  return (
    <Stack gap="narrow">
      <p>First prove again that it is you. It counts for ten minutes.</p>
      <Loaded query={begun}>
        {({ data: { methods } }) => {
          const codes = methods.filter((each) => each !== 'passkey')
          if (methods.length === 0) return <p>You have nothing to prove it with: sign out, and sign in again.</p>
          return (
            <>
              {methods.includes('passkey') && (
                <Row>
                  <Button isPending={confirm.isPending} onPress={() => confirm.mutate({ how: 'passkey', code: '' })}>
                    Use your passkey
                  </Button>
                </Row>
              )}
              {codes[0] !== undefined && (
                <CodeForm
                  methods={codes}
                  error={confirm.error}
                  isPending={confirm.isPending}
                  onCode={(how, code) => confirm.mutate({ how, code })}
                />
              )}
            </>
          )
        }}
      </Loaded>
      {confirm.error !== null && <Problem refusal={refusalOf(confirm.error)} />}
    </Stack>
  )
}

function CodeForm({
  methods,
  error,
  isPending,
  onCode,
}: {
  methods: readonly Typed[]
  error: Error | null
  isPending: boolean
  onCode(how: Typed, code: string): void
}) {
  const [how, setHow] = useState<Typed>(methods[0] ?? 'password')
  const [code, setCode] = useState('')
  const { label, ...kind } = typed[how]
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onCode(how, code)
      }}
    >
      <Stack gap="narrow">
        <TextField {...kind} label={label} value={code} onChange={setCode} error={fieldError(error, how)} />
        <Row>
          <Button type="submit" isPending={isPending} whyNot={code === '' ? `Enter it first: ${label}.` : null}>
            Confirm
          </Button>
          {methods
            .filter((each) => each !== how)
            .map((each) => (
              <Button key={each} kind="plain" size="small" onPress={() => setHow(each)}>
                {typed[each].label}
              </Button>
            ))}
        </Row>
      </Stack>
    </form>
  )
}
