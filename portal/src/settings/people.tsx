import { roleTexts } from '@demarc/client/rules'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDecisionDisabledReason, useSession } from '../account.ts'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Card, EmptyLine, RowVerbs, Stack } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/values.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { type Invitation, type Person, RemoveDialog, RoleDialog, WithdrawDialog } from './people-dialogs.tsx'
import css from './settings.module.css'

type Opened =
  | { dialog: 'invite' }
  | { dialog: 'role' | 'remove'; person: Person }
  | { dialog: 'withdraw'; invitation: Invitation }

const all = { query: { limit: 200 } }

/** The people with access to the account, and their roles. */
export function People() {
  const people = useQuery(q('listPeople', all))
  const invitations = useQuery(q('listInvitations', all))
  const disabledReason = useDecisionDisabledReason('owner')
  const { person: own } = useSession()
  const [opened, setOpened] = useState<Opened | null>(null)
  return (
    <Stack>
      <Card
        flush
        title="People"
        aside={
          <Button
            kind="primary"
            size="small"
            disabledReason={disabledReason}
            onPress={() => setOpened({ dialog: 'invite' })}
          >
            Invite a person
          </Button>
        }
      >
        <Loaded query={people} skeleton={<Skeleton rows={3} tall />}>
          {({ data }) => (
            <Table
              label="People"
              columns={peopleColumns(own.id, disabledReason, setOpened)}
              rows={data}
              keyOf={({ id }) => id}
            />
          )}
        </Loaded>
      </Card>
      {/* not before what is above it, so that it does not move */}
      {!people.isPending && (
        <Card title="Invitations" flush>
          <Loaded query={invitations} skeleton={<Skeleton rows={2} tall />}>
            {({ data }) =>
              data.length === 0 ? (
                <EmptyLine>
                  No open invitations. An invitation is a one-time link, valid for seven days, that you pass on
                  yourself.
                </EmptyLine>
              ) : (
                <Table
                  label="Invitations"
                  columns={invitationColumns(disabledReason, setOpened)}
                  rows={data}
                  keyOf={({ id }) => id}
                />
              )
            }
          </Loaded>
        </Card>
      )}
      <OpenedDialog opened={opened} onClose={() => setOpened(null)} />
    </Stack>
  )
}

function OpenedDialog({ opened, onClose }: { opened: Opened | null; onClose(): void }) {
  if (opened === null) return null
  if (opened.dialog === 'invite') return <InviteDialog onClose={onClose} />
  if (opened.dialog === 'withdraw') return <WithdrawDialog invitation={opened.invitation} onClose={onClose} />
  if (opened.dialog === 'role') return <RoleDialog person={opened.person} onClose={onClose} />
  return <RemoveDialog person={opened.person} onClose={onClose} />
}

const peopleColumns = (
  own_id: string,
  disabledReason: string | null,
  open: (opened: Opened) => void,
): Column<Person>[] => [
  {
    id: 'name',
    title: 'Person',
    head: true,
    cell: ({ id, name, email }) => (
      <span className={css.person}>
        <span>
          {name}
          {id === own_id && <Soft> (you)</Soft>}
        </span>
        <Soft>{email}</Soft>
      </span>
    ),
  },
  { id: 'role', title: 'Role', cell: ({ role }) => <span title={roleTexts[role].allows}>{roleTexts[role].name}</span> },
  {
    id: 'factor',
    title: 'Second factor',
    cell: ({ has_second_factor: has }) => <Status meaning={has ? 'done' : 'quiet'}>{has ? 'Set up' : 'None'}</Status>,
  },
  {
    id: 'last',
    title: 'Last signed in',
    minor: true,
    cell: ({ last_signed_in_at: at }) => (at === null ? 'Never' : <Time at={at} date />),
  },
  {
    id: 'verbs',
    title: 'Change',
    verbs: true,
    cell: (person) => (
      <RowVerbs>
        <Button
          size="small"
          aria-label={`Change role of ${person.name}`}
          disabledReason={disabledReason}
          onPress={() => open({ dialog: 'role', person })}
        >
          Change role
        </Button>
        <Button
          size="small"
          kind="plain"
          aria-label={`Remove ${person.name}`}
          disabledReason={disabledReason}
          onPress={() => open({ dialog: 'remove', person })}
        >
          Remove
        </Button>
      </RowVerbs>
    ),
  },
]

const invitationColumns = (disabledReason: string | null, open: (opened: Opened) => void): Column<Invitation>[] => [
  { id: 'email', title: 'Email', head: true, cell: ({ email }) => email },
  { id: 'role', title: 'Role', cell: ({ role }) => roleTexts[role].name },
  { id: 'by', title: 'Invited by', minor: true, cell: ({ invited_by }) => invited_by },
  { id: 'until', title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    id: 'verbs',
    title: 'Change',
    verbs: true,
    cell: (invitation) => (
      <Button
        size="small"
        kind="plain"
        aria-label={`Withdraw the invitation for ${invitation.email}`}
        disabledReason={disabledReason}
        onPress={() => open({ dialog: 'withdraw', invitation })}
      >
        Withdraw
      </Button>
    ),
  },
]
