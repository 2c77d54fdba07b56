import { ConfirmationRequiredError } from '@demarc/client/light'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldError, refusalOf, request } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { ProofField, proofLabel, type TypedProof, getPasskey } from '../sign-in/proofs.tsx'
import { Button, Form, Problem, Row, Stack } from '../ui/index.ts'

/** Shows a refusal. If the service requires a recent proof of identity, shows that form and then resends the request. */
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
    mutationFn: async ({ how, code }: { how: TypedProof | 'passkey'; code: string }) =>
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
      <p>Confirm your identity. This lasts ten minutes.</p>
      <Loaded query={begun}>
        {({ data: { methods } }) => {
          const codes = methods.filter((each) => each !== 'passkey')
          if (methods.length === 0) return <p>You have no password or second factor. Sign out, then sign in again.</p>
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

interface CodeFormProps {
  methods: readonly TypedProof[]
  error: Error | null
  isPending: boolean
  onCode(how: TypedProof, code: string): void
}

function CodeForm({ methods, error, isPending, onCode }: CodeFormProps) {
  const [how, setHow] = useState<TypedProof>(methods[0] ?? 'password')
  const [code, setCode] = useState('')
  return (
    <Form onSend={() => onCode(how, code)}>
      <Stack gap="narrow">
        <ProofField proof={how} value={code} onChange={setCode} error={fieldError(error, how)} />
        <Row>
          <Button
            type="submit"
            isPending={isPending}
            disabledReason={code === '' ? `Enter this first: ${proofLabel(how)}.` : null}
          >
            Confirm
          </Button>
          {methods
            .filter((each) => each !== how)
            .map((each) => (
              <Button key={each} kind="plain" size="small" onPress={() => setHow(each)}>
                {proofLabel(each)}
              </Button>
            ))}
        </Row>
      </Stack>
    </Form>
  )
}
