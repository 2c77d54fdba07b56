import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useReadOnlyReason } from '../../account.ts'
import { type Body, fieldError, qList, useChange } from '../../api.ts'
import { useNow } from '../../clock.ts'
import { ShowAsApiCall } from '../../shell/api-call.tsx'
import { PagedList } from '../../shell/paged-list.tsx'
import { shellQuoted } from '../../ui/text.ts'
import { Button } from '../../ui/button.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState, PageHead, Stack, Soft } from '../../ui/panels.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { CountUpTo } from './count-up-to.tsx'
import { lastUsed, stateOf } from './state.ts'
import { FormDialog } from '../../shell/form-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { replacesEntry } from '../../search.ts'

type Summary = Body<'listAccountSummaries'>['data'][number]

const limit = 50

/** Which accounts exist, and are they in use? */
export function AccountsPage() {
  const { find, offset } = useSearch({ from: '/signed-in/operator/accounts' })
  const navigate = useNavigate()
  const change = useCallback(
    (search: { find?: string; offset?: number }) =>
      void navigate({ to: '/operator/accounts', search, replace: replacesEntry(search) }),
    [navigate],
  )
  const search = useCallback((text: string) => change(text === '' ? {} : { find: text }), [change])
  const query = { limit, ...(find === undefined ? {} : { search: find }), ...(offset === undefined ? {} : { offset }) }
  const accounts = useQuery(qList('listAccountSummaries', { query }))
  const columns = columnsOf(useNow())
  return (
    <Stack>
      <PageHead
        title="Accounts"
        facts="Customer accounts and their activity, oldest first."
        verb={<HeadVerbs query={query} />}
      />
      <FilterBar>
        <SearchField label="Search accounts" placeholder="Name or id" value={find ?? ''} onChange={search} />
      </FilterBar>
      <PagedList
        query={accounts}
        limit={limit}
        offset={offset}
        onOffset={(next) =>
          change({ ...(find === undefined ? {} : { find }), ...(next === undefined ? {} : { offset: next }) })
        }
        skeleton_rows={8}
        empty={<NoAccounts found={find !== undefined} />}
      >
        {(rows, busy) => <Table label="Accounts" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

function HeadVerbs({ query }: { query: { limit: number; search?: string } }) {
  const [making, setMaking] = useState(false)
  const command = ['demarc account summary', ...(query.search ? [`--search ${shellQuoted(query.search)}`] : [])]
  return (
    <>
      <ShowAsApiCall operation="listAccountSummaries" input={{ query }} command={command.join(' ')} />
      <Button kind="primary" disabledReason={useReadOnlyReason()} onPress={() => setMaking(true)}>
        Create an account
      </Button>
      {making && <NewAccountDialog onClose={() => setMaking(false)} />}
    </>
  )
}

function NoAccounts({ found }: { found: boolean }) {
  if (found)
    return (
      <EmptyState title="No matching accounts">
        <p>The search matches any part of the name, or the full id.</p>
      </EmptyState>
    )
  return (
    <EmptyState title="No accounts yet">
      <p>
        An account holds a customer’s numbers, port orders, and call records, isolated from every other account. Create
        one, then invite its first owner or create its first access key.
      </p>
    </EmptyState>
  )
}

const count = (name: 'numbers_count' | 'people_count' | 'keys_count', title: string): Column<Summary> => ({
  title,
  align: 'end',
  cell: ({ attributes }) => <CountUpTo of={attributes[name]} />,
})

const columnsOf = (now: number): Column<Summary>[] => [
  {
    title: 'Account',
    head: true,
    cell: ({ id, attributes: { name, created_at } }) => (
      <>
        <Link to="/operator/accounts/$account" params={{ account: id }}>
          {name}
        </Link>
        <Soft below>
          {id} · since <Time at={created_at} date />
        </Soft>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ attributes }) => {
      const { meaning, text } = stateOf(attributes, now)
      return <Status meaning={meaning}>{text}</Status>
    },
  },
  count('numbers_count', 'Numbers'),
  {
    title: 'Open orders',
    align: 'end',
    cell: ({ attributes: { open_port_orders_count, waiting_port_orders_count: waiting } }) => (
      <>
        <CountUpTo of={open_port_orders_count} />
        {waiting > 0 && <Soft below>{waiting} waiting on us</Soft>}
      </>
    ),
  },
  { ...count('people_count', 'People'), minor: true },
  { ...count('keys_count', 'Keys'), minor: true },
  {
    title: 'Last used',
    minor: true,
    cell: ({ attributes }) => {
      const at = lastUsed(attributes)
      return at === null ? 'Never' : <Time at={at} date />
    },
  },
]

/** Creates an account and opens its page, where its first owner is invited and its first key created. */
export function NewAccountDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const navigate = useNavigate()
  const create = useChange('createAccount')
  const wrong = fieldError(create.error, 'name')
  const onSuccess = ({ data }: Body<'createAccount'>) => {
    onClose()
    void navigate({ to: '/operator/accounts/$account', params: { account: data.id } })
  }
  return (
    <FormDialog
      title="Create an account"
      verb="Create"
      isPending={create.isPending}
      disabledReason={name.trim() === '' ? 'Enter the customer’s name first.' : null}
      error={wrong === null ? create.error : null}
      onSend={() =>
        create.mutate({ body: { data: { type: 'account', attributes: { name: name.trim() } } } }, { onSuccess })
      }
      onClose={onClose}
    >
      <TextField
        label="Customer name"
        placeholder="Harbor Dental"
        value={name}
        onChange={setName}
        autoFocus
        hint="Visible to the customer and your team. Two accounts can have the same name; their ids differ."
        error={wrong}
      />
    </FormDialog>
  )
}
