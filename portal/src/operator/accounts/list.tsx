import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Body, fieldError, useChange, useList } from '../../api.ts'
import { useNow } from '../../clock.ts'
import { commandWith } from '../../shell/api-call.tsx'
import { usePageSearch } from '../../shell/change-search.ts'
import { DialogButton } from '../../shell/change-buttons.tsx'
import { Page } from '../../shell/page.tsx'
import { PagedList } from '../../shell/paged-list.tsx'
import {
  type Column,
  Count,
  EmptyState,
  FilterBar,
  Link,
  SearchField,
  Soft,
  Status,
  Table,
  TextField,
  Time,
} from '../../ui/index.ts'
import { counted_max, lastUsed, stateOf } from './state.ts'
import { FormDialog } from '../../shell/form-dialog.tsx'

type Summary = Body<'listAccountSummaries'>['data'][number]

/** Which accounts exist, and are they in use? */
export function AccountsPage() {
  const { search, filter, page, paging } = usePageSearch('/operator/accounts')
  const { find } = search
  const query = { ...page, search: find }
  const accounts = useList('listAccountSummaries', { query })
  const columns = columnsOf(useNow())
  const command = commandWith('demarc account summary', { search: find })
  return (
    <Page
      title="Accounts"
      facts="Customer accounts and their activity, oldest first."
      call={{ operation: 'listAccountSummaries', input: { query }, command }}
      verb={
        <DialogButton kind="primary" dialog={(close) => <NewAccountDialog onClose={close} />}>
          Create an account
        </DialogButton>
      }
    >
      <FilterBar>
        <SearchField
          label="Search accounts"
          placeholder="Name or id"
          value={find ?? ''}
          onChange={(text) => filter({ find: text })}
        />
      </FilterBar>
      <PagedList query={accounts} {...paging} empty={<NoAccounts found={find !== undefined} />}>
        {(rows, busy) => <Table label="Accounts" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Page>
  )
}

function NoAccounts({ found }: { found: boolean }) {
  if (found)
    return (
      <EmptyState title="No matching accounts">The search matches any part of the name, or the full ID.</EmptyState>
    )
  return (
    <EmptyState title="No accounts yet">
      An account holds a customer’s numbers, port orders, and call records, isolated from every other account. Create
      one, then invite its first owner or create its first access key.
    </EmptyState>
  )
}

const count = (name: 'numbers_count' | 'people_count' | 'keys_count', title: string): Column<Summary> => ({
  title,
  align: 'end',
  cell: ({ attributes }) => <Count of={attributes[name]} limit={counted_max} />,
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
        <Count of={open_port_orders_count} limit={counted_max} />
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
  const create = useChange('createAccount', ({ data }) => {
    onClose()
    void navigate({ to: '/operator/accounts/$account', params: { account: data.id } })
  })
  return (
    <FormDialog
      title="Create an account"
      verb="Create"
      {...create}
      fields={['name']}
      disabledReason={name.trim() === '' ? 'Enter the customer’s name first.' : null}
      onSend={() => create.mutate({ body: { data: { type: 'account', attributes: { name: name.trim() } } } })}
      onClose={onClose}
    >
      <TextField
        label="Customer name"
        placeholder="Harbor Dental"
        value={name}
        onChange={setName}
        autoFocus
        hint="Visible to the customer and your team. Two accounts can have the same name; their ids differ."
        error={fieldError(create.error, 'name')}
      />
    </FormDialog>
  )
}
