import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { request, useChange, type Body, useRead } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { useDialog, type OpenDialog } from '../shell/change-buttons.tsx'
import { makePasskey, passkeysWork } from '../sign-in/proofs.tsx'
import { Button, Card, type Column, EmptyLine, RowVerb, Skeleton, Table, TextField, Time } from '../ui/index.ts'

type Passkey = Body<'listPasskeys'>['data'][number]

const noPasskeys = 'Passkeys aren’t available here. They require HTTPS or a service on this machine.'

/** The person's passkeys. */
export function PasskeysCard({ onCodes }: { onCodes(codes: readonly string[]): void }) {
  const passkeys = useRead('listPasskeys')
  const [dialog, open] = useDialog()
  return (
    <Card
      title="Passkeys"
      flush
      aside={
        <Button
          size="small"
          disabledReason={passkeysWork() ? null : noPasskeys}
          onPress={() => open((close) => <AddDialog onClose={close} onCodes={onCodes} />)}
        >
          Add a passkey
        </Button>
      }
    >
      <Loaded query={passkeys} skeleton={<Skeleton rows={2} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyLine>
              No passkeys yet. With a passkey you sign in with your fingerprint, face, or a security key. Passkeys can’t
              be phished.
            </EmptyLine>
          ) : (
            <Table label="Passkeys" columns={columnsOf(open)} rows={data} />
          )
        }
      </Loaded>
      {dialog}
    </Card>
  )
}

const columnsOf = (open: OpenDialog): Column<Passkey>[] => [
  { title: 'Passkey', head: true, cell: ({ name }) => name },
  {
    title: 'Last used',
    cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} date />),
  },
  {
    title: 'Change',
    verbs: true,
    cell: (passkey) => (
      <RowVerb
        verb="Remove"
        of={passkey.name}
        kind="plain"
        onPress={() => open((close) => <RemoveDialog passkey={passkey} onClose={close} />)}
      />
    ),
  },
]

function AddDialog({ onClose, onCodes }: { onClose(): void; onCodes(codes: readonly string[]): void }) {
  const cache = useQueryClient()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const { data } = await request('beginPasskey')
      return await request('addPasskey', { body: { name, passkey: await makePasskey(data.passkey_options) } })
    },
    onSuccess: async ({ data }) => {
      await cache.invalidateQueries()
      onClose()
      if (data.recovery_codes !== null) onCodes(data.recovery_codes)
    },
  })
  // browsers report only this when the person cancels
  const cancelled = add.error instanceof DOMException && add.error.name === 'NotAllowedError'
  return (
    <FormDialog
      title="Add a passkey"
      verb="Add"
      isPending={add.isPending}
      disabledReason={name === '' ? 'Enter a name first.' : null}
      error={cancelled ? null : add.error}
      onSend={() => add.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Passkey name"
        placeholder="This laptop"
        hint="Your browser will ask where to store it."
        value={name}
        onChange={setName}
        autoFocus
      />
      {cancelled && <p role="alert">No passkey was created. The request was canceled or timed out. Try again.</p>}
    </FormDialog>
  )
}

function RemoveDialog({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose(): void }) {
  const remove = useChange('removePasskey', onClose)
  return (
    <ConsequenceDialog
      title={`Remove ${name}`}
      verb="Remove the passkey"
      {...remove}
      onDo={() => remove.mutate({ params: { passkey_id: id } })}
      onClose={onClose}
    >
      You won’t be able to sign in with it anymore. Also remove it from your device.
    </ConsequenceDialog>
  )
}
