import { useState } from 'react'
import { useDecisionDisabledReason, useReadOnlyReason } from '../account.ts'
import { useNow } from '../clock.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button, RowVerb } from '../ui/button.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { Card, EmptyLine, EmptyState, RowVerbs, Skeleton } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/values.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx'
import { type Key, type KeyOwner, useKeys } from './key-operations.ts'

type Opened = { dialog: 'new' } | { dialog: 'rotate' | 'revoke'; key: Key }

/** The account's access keys, with their scopes and last use. */
export function Keys() {
  const disabledReason = useDecisionDisabledReason('manager')
  return <KeysCard account={null} hiddenReason={disabledReason} disabledReason={disabledReason} />
}

/** The same for any account, for the operator's staff. */
export function KeysOf({ account }: { account: string }) {
  return <KeysCard account={account} hiddenReason={null} disabledReason={useReadOnlyReason()} />
}

function KeysCard({
  account,
  hiddenReason,
  disabledReason,
}: {
  account: KeyOwner
  /** Why the keys are hidden; null when visible. */
  hiddenReason: string | null
  /** Why they are read-only; null when they can be changed. */
  disabledReason: string | null
}) {
  const keys = useKeys(account, hiddenReason === null)
  const now = useNow()
  const [opened, setOpened] = useState<Opened | null>(null)
  const make = (
    <Button kind="primary" size="small" disabledReason={disabledReason} onPress={() => setOpened({ dialog: 'new' })}>
      Create a key
    </Button>
  )
  return (
    <Card title="Access keys" aside={make} flush>
      {hiddenReason === null ? (
        <Loaded query={keys} skeleton={<Skeleton rows={3} tall />}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState title="No access keys yet">
                <p>
                  A program authenticates with a key. Its two parts are the user name and password of every request.
                </p>
              </EmptyState>
            ) : (
              <Table
                label="Access keys"
                columns={columnsOf(setOpened, now, disabledReason)}
                rows={data.toSorted(workingFirst(now))}
              />
            )
          }
        </Loaded>
      ) : (
        <EmptyLine>{hiddenReason}</EmptyLine>
      )}
      {opened !== null && <OpenedDialog account={account} opened={opened} onClose={() => setOpened(null)} />}
    </Card>
  )
}

function OpenedDialog({ account, opened, onClose }: { account: KeyOwner; opened: Opened; onClose(): void }) {
  if (opened.dialog === 'new') return <NewKeyDialog account={account} onClose={onClose} />
  const Dialog = opened.dialog === 'rotate' ? RotateDialog : RevokeDialog
  return <Dialog account={account} accessKey={opened.key} onClose={onClose} />
}

const workingFirst = (now: number) => (a: Key, b: Key) =>
  Number(whyEnded(a, now) !== null) - Number(whyEnded(b, now) !== null)

/** Why a key no longer works; null while it works. */
function whyEnded({ attributes: { revoked_at, expires_at } }: Key, now: number): string | null {
  if (revoked_at !== null && Date.parse(revoked_at) <= now) return 'Revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'Expired' : null
}

const columnsOf = (open: (opened: Opened) => void, now: number, readOnly: string | null): Column<Key>[] => [
  { title: 'Key', head: true, cell: ({ attributes: { name } }) => name },
  {
    title: 'Access key',
    minor: true,
    cell: ({ attributes: { access_key } }) => <Copyable text={access_key} label="the access key" />,
  },
  { title: 'Scopes', cell: ({ attributes: { scopes } }) => scopes.join(', ') },
  { title: 'Status', cell: (key) => <KeyState accessKey={key} now={now} /> },
  {
    title: 'Last used',
    cell: ({ attributes: { last_used_at: at } }) => (at === null ? 'Never' : <Time at={at} date />),
  },
  {
    title: 'Change',
    verbs: true,
    cell: (key) => {
      const ended = whyEnded(key, now)
      const disabledReason = ended === null ? readOnly : `This key is ${ended.toLowerCase()}. Create a new one.`
      const { name } = key.attributes
      return (
        <RowVerbs>
          <RowVerb
            verb="Rotate"
            of={name}
            disabledReason={disabledReason}
            onPress={() => open({ dialog: 'rotate', key })}
          />
          <RowVerb
            verb="Revoke"
            of={name}
            kind="plain"
            disabledReason={disabledReason}
            onPress={() => open({ dialog: 'revoke', key })}
          />
        </RowVerbs>
      )
    },
  },
]

function KeyState({ accessKey, now }: { accessKey: Key; now: number }) {
  const ended = whyEnded(accessKey, now)
  const until = accessKey.attributes.revoked_at ?? accessKey.attributes.expires_at
  if (ended !== null) return <Status meaning="quiet">{ended}</Status>
  if (until === null) return <Status meaning="done">Active</Status>
  return (
    <>
      <Status meaning="done">Active</Status> until <Time at={until} date />
    </>
  )
}
