import { useQuery } from '@tanstack/react-query'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link } from '../ui/link.tsx'
import { PageHead, Stack } from '../ui/panels.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/values.tsx'

/** Whose account do I want to see? For the operator's people, who see none at first. */
export function OperatorStart() {
  const accounts = useQuery(q('listAccounts', { query: { limit: 50 } }))
  return (
    <Stack>
      <PageHead title="Accounts" facts="Choose one to see what its holder sees." />
      <Loaded query={accounts}>
        {({ data }) => (
          <Table
            label="Accounts"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                id: 'name',
                title: 'Account',
                head: true,
                cell: ({ id, attributes: { name } }) => (
                  <Link to="/" search={{ account: id }}>
                    {name}
                  </Link>
                ),
              },
              {
                id: 'since',
                title: 'Since',
                cell: ({ attributes: { created_at } }) => <Time at={created_at} date />,
              },
            ]}
          />
        )}
      </Loaded>
    </Stack>
  )
}
