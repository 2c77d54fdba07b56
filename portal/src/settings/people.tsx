import { roleTexts } from '@demarc/client/rules'
import { useDecisionDisabledReason, useSession } from '../account.ts'
import { useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { useDialog, type OpenDialog } from '../shell/change-buttons.tsx'
import {
  Button,
  Card,
  type Column,
  EmptyLine,
  RowVerb,
  RowVerbs,
  Skeleton,
  Soft,
  Stack,
  Status,
  Table,
  Time,
} from '../ui/index.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { type Invitation, type Person, RemoveDialog, RoleDialog, WithdrawDialog } from './people-dialogs.tsx'
import css from './settings.module.css'

const all = { query: { limit: 200 } }

/** The people with access to the account, and their roles. */
export function People() {
  const people = useRead('listPeople', all)
  const invitations = useRead('listInvitations', all)
  const disabledReason = useDecisionDisabledReason('owner')
  const { person: own } = useSession()
  const [dialog, open] = useDialog()
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
            onPress={() => open((close) => <InviteDialog onClose={close} />)}
          >
            Invite a person
          </Button>
        }
      >
        <Loaded query={people} skeleton={<Skeleton rows={3} tall />}>
          {({ data }) => <Table label="People" columns={peopleColumns(own.id, disabledReason, open)} rows={data} />}
        </Loaded>
      </Card>
      {/* rendered after the card above it, so it doesn't move */}
      {!people.isPending && (
        <Card title="Invitations" flush>
          <Loaded query={invitations} skeleton={<Skeleton rows={2} tall />}>
            {({ data }) =>
              data.length === 0 ? (
                <EmptyLine>No open invitations. An invitation is a one-time link, valid for seven days.</EmptyLine>
              ) : (
                <Table label="Invitations" columns={invitationColumns(disabledReason, open)} rows={data} />
              )
            }
          </Loaded>
        </Card>
      )}
      {dialog}
    </Stack>
  )
}

function NameCell({ person: { name, email, email_proven_at }, isOwn }: { person: Person; isOwn: boolean }) {
  return (
    <span className={css.person}>
      <span>
        {name}
        {isOwn && <Soft> (you)</Soft>}
      </span>
      <Soft>
        {email}
        {email_proven_at === null && ' · not verified'}
      </Soft>
    </span>
  )
}

const peopleColumns = (own_id: string, disabledReason: string | null, open: OpenDialog): Column<Person>[] => [
  {
    title: 'Person',
    head: true,
    cell: (person) => <NameCell person={person} isOwn={person.id === own_id} />,
  },
  { title: 'Role', cell: ({ role }) => <span title={roleTexts[role].allows}>{roleTexts[role].name}</span> },
  {
    title: 'Second factor',
    cell: ({ has_second_factor: has }) => <Status meaning={has ? 'done' : 'quiet'}>{has ? 'Set up' : 'None'}</Status>,
  },
  {
    title: 'Last signed in',
    minor: true,
    cell: ({ last_signed_in_at: at }) => (at === null ? 'Never' : <Time at={at} date />),
  },
  {
    title: 'Change',
    verbs: true,
    cell: (person) => (
      <RowVerbs>
        <RowVerb
          verb="Change role"
          of={`of ${person.name}`}
          disabledReason={disabledReason}
          onPress={() => open((close) => <RoleDialog person={person} onClose={close} />)}
        />
        <RowVerb
          verb="Remove"
          of={person.name}
          kind="plain"
          disabledReason={disabledReason}
          onPress={() => open((close) => <RemoveDialog person={person} onClose={close} />)}
        />
      </RowVerbs>
    ),
  },
]

const mailStatus = {
  none: { meaning: 'quiet', children: 'Passed on by the inviter' },
  waiting: { meaning: 'moving', children: 'Being mailed' },
  sent: { meaning: 'done', children: 'Mailed' },
  failed: { meaning: 'refused', children: 'Mail failed: invite again' },
} as const

const invitationColumns = (disabledReason: string | null, open: OpenDialog): Column<Invitation>[] => [
  { title: 'Email', head: true, cell: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => roleTexts[role].name },
  { title: 'Link', cell: ({ mail_status }) => <Status {...mailStatus[mail_status]} /> },
  { title: 'Invited by', minor: true, cell: ({ invited_by }) => invited_by },
  { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Change',
    verbs: true,
    cell: (invitation) => (
      <RowVerb
        verb="Withdraw"
        of={`the invitation for ${invitation.email}`}
        kind="plain"
        disabledReason={disabledReason}
        onPress={() => open((close) => <WithdrawDialog invitation={invitation} onClose={close} />)}
      />
    ),
  },
]
