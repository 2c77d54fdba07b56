import { roleTexts } from '@demarc/client/rules'
import { useQuery } from '@tanstack/react-query'
import { qAs } from '../../api.ts'
import type { Person } from '../../settings/people-dialogs.tsx'
import { Loaded } from '../../shell/loaded.tsx'
import { Card, type Column, EmptyState, Link, Skeleton, Status, Table, Time, TwoLines } from '../../ui/index.ts'

/** The people with access to the account. They are managed on the account's own settings page. */
export function PeopleOf({ account }: { account: string }) {
  const people = useQuery(qAs(account, 'listPeople', { query: { limit: 200 } }))
  const invite = (
    <Link to="/settings" search={{ account }}>
      Manage as owner
    </Link>
  )
  return (
    <Card title="People" aside={invite} flush>
      <Loaded query={people} skeleton={<Skeleton rows={3} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No one can sign in yet">
              Invite the account’s first owner. You get a link to pass on, and the owner invites everyone else.
            </EmptyState>
          ) : (
            <Table label="People" columns={columns} rows={data} />
          )
        }
      </Loaded>
    </Card>
  )
}

const columns: readonly Column<Person>[] = [
  {
    title: 'Person',
    head: true,
    cell: ({ name, email }) => <TwoLines below={email}>{name}</TwoLines>,
  },
  { title: 'Role', cell: ({ role }) => <span title={roleTexts[role].allows}>{roleTexts[role].name}</span> },
  {
    title: 'Second factor',
    cell: ({ has_second_factor: has }) => <Status meaning={has ? 'done' : 'quiet'}>{has ? 'Set up' : 'None'}</Status>,
  },
  {
    title: 'Last signed in',
    cell: ({ last_signed_in_at: at }) => (at === null ? 'Never' : <Time at={at} date />),
  },
]
