import { useQuery } from '@tanstack/react-query'
import { useDecisionDisabledReason, useReadOnlyReason } from '../account.ts'
import { q, useRead } from '../api.ts'
import { useNow } from '../clock.ts'
import { Loaded } from '../shell/loaded.tsx'
import { useDialog, type OpenDialog } from '../shell/change-buttons.tsx'
import {
  Button,
  Card,
  type Column,
  Copyable,
  EmptyLine,
  EmptyState,
  RowVerb,
  RowVerbs,
  Skeleton,
  Status,
  Table,
  Time,
} from '../ui/index.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RevokeDialog, RotateDialog, type Key, type KeyOwner } from './key-dialogs.tsx'

/** The account's access keys, with their scopes and last use. */
export function Keys() {
  const disabledReason = useDecisionDisabledReason('manager')
  return <KeysCard account={null} hiddenReason={disabledReason} disabledReason={disabledReason} />
}

/** The same for any account, for the operator's staff. */
export function KeysOf({ account }: { account: string }) {
  return <KeysCard account={account} hiddenReason={null} disabledReason={useReadOnlyReason()} />
}

interface KeysCardProps {
  account: KeyOwner
  /** Why the keys are hidden; null when visible. */
  hiddenReason: string | null
  /** Why they are read-only; null when they can be changed. */
  disabledReason: string | null
}

function KeysCard({ account, hiddenReason, disabledReason }: KeysCardProps) {
  const keys = useKeys(account, hiddenReason === null)
  const now = useNow()
  const [dialog, open] = useDialog()
  const make = (
    <Button
      kind="primary"
      size="small"
      disabledReason={disabledReason}
      onPress={() => open((close) => <NewKeyDialog account={account} onClose={close} />)}
    >
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
                A program authenticates with a key. Its two parts are the user name and password of every request.
              </EmptyState>
            ) : (
              <Table
                label="Access keys"
                columns={columnsOf(account, open, now, disabledReason)}
                rows={data.toSorted(workingFirst(now))}
              />
            )
          }
        </Loaded>
      ) : (
        <EmptyLine>{hiddenReason}</EmptyLine>
      )}
      {dialog}
    </Card>
  )
}

function useKeys(account_id: KeyOwner, enabled: boolean) {
  const query = { limit: 200 }
  const own = useRead('listOwnKeys', { query }, { enabled: enabled && account_id === null })
  const listed = q('listKeys', { params: { account_id: account_id ?? '' }, query })
  const theirs = useQuery({ ...listed, enabled: enabled && account_id !== null })
  return account_id === null ? own : theirs
}

const workingFirst = (now: number) => (a: Key, b: Key) =>
  Number(whyEnded(a, now) !== null) - Number(whyEnded(b, now) !== null)

/** Why a key no longer works; null while it works. */
function whyEnded({ attributes: { revoked_at, expires_at } }: Key, now: number): string | null {
  if (revoked_at !== null && Date.parse(revoked_at) <= now) return 'Revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'Expired' : null
}

const columnsOf = (account: KeyOwner, open: OpenDialog, now: number, readOnly: string | null): Column<Key>[] => [
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
            onPress={() => open((close) => <RotateDialog account={account} accessKey={key} onClose={close} />)}
          />
          <RowVerb
            verb="Revoke"
            of={name}
            kind="plain"
            disabledReason={disabledReason}
            onPress={() => open((close) => <RevokeDialog account={account} accessKey={key} onClose={close} />)}
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
