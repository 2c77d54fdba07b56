import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { qList, type Body } from '../api.ts'
import { placeText, rateCenterOf } from '../numbers/rate-center.ts'
import { inventoryStatuses, type InventorySearch } from '../operator/search.ts'
import { AccountName } from '../shell/account-search.ts'
import { useChangeSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBar, FilterChips, SearchField } from '../ui/filter-bar.tsx'
import { Link } from '../ui/link.tsx'
import { EmptyState, Soft, Stack } from '../ui/panels.tsx'
import { Status, type Meaning } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Money, PhoneNumber, Time } from '../ui/values.tsx'
import { ChangeInventoryDialog } from './change-dialog.tsx'
import { NoStock } from './stock.tsx'

type InventoryNumber = Body<'listInventory'>['data'][number]
type InventoryStatus = InventoryNumber['attributes']['status']

const limit = 50

const statusWords: Readonly<Record<InventoryStatus, { label: string; meaning: Meaning }>> = {
  available: { label: 'Available', meaning: 'done' },
  reserved: { label: 'Reserved', meaning: 'moving' },
  active: { label: 'Active', meaning: 'done' },
  aging: { label: 'Aging', meaning: 'moving' },
  held: { label: 'Held', meaning: 'quiet' },
  recalled: { label: 'Recalled', meaning: 'refused' },
  ported_out: { label: 'Ported out', meaning: 'quiet' },
}

const statusOptions = inventoryStatuses.map((value) => ({ value, label: statusWords[value].label }))

/** The inventory's numbers with their statuses. */
export function InventoryNumbers() {
  const search = useSearch({ from: '/signed-in/operator/inventory' })
  const change: (next: InventorySearch) => void = useChangeSearch('/operator/inventory/numbers')
  const find = useCallback((text: string) => change({ find: text, offset: undefined }), [change])
  const numbers = useQuery(qList('listInventory', { query: queryOf(search) }))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { status, type, of, offset } = search
  const isFiltered = (search.find ?? status ?? type ?? of) !== undefined
  return (
    <Stack gap="narrow">
      <FilterBar
        onClear={
          isFiltered
            ? () => change({ find: undefined, status: undefined, type: undefined, of: undefined, offset: undefined })
            : null
        }
        count={of === undefined ? undefined : <OnlyOf account={of} />}
      >
        <SearchField
          label="Digits or rate center"
          placeholder="Leading digits, rate center, or state"
          value={search.find ?? ''}
          onChange={find}
        />
        <FilterChips
          label="Status"
          options={statusOptions}
          value={status ?? null}
          onChange={(next) => change({ status: next ?? undefined, offset: undefined })}
        />
        <FilterChips
          label="Type"
          options={[{ value: 'toll-free', label: 'Toll-free' }]}
          value={type ?? null}
          onChange={(next) => change({ type: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <Selected values={selected} onClear={() => setSelected(new Set())} />
      <PagedList
        query={numbers}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={10}
        empty={isFiltered ? <NoMatch status={status} /> : <NoStock />}
      >
        {(rows, busy) => (
          <Table
            label="Numbers in the inventory"
            columns={columns}
            rows={rows}
            busy={busy}
            selection={{ selected, onChange: setSelected }}
          />
        )}
      </PagedList>
    </Stack>
  )
}

function queryOf({ find = '', status, type, of, offset }: InventorySearch) {
  const digits = find.replace(/[\s().+-]/g, '')
  return {
    limit,
    ...(offset && { offset }),
    ...(/^\d+$/.test(digits) ? { starts_with: digits } : rateCenterOf(find.trim())),
    ...(status && { status }),
    ...(type && { number_type: 'toll-free' as const }),
    ...(of !== undefined && { account_id: of }),
  }
}

const OnlyOf = ({ account }: { account: string }) => (
  <>
    Only numbers of <AccountName of={account} />
  </>
)

/** What can be done with the selected numbers, on all pages. */
function Selected({ values, onClear }: { values: ReadonlySet<string>; onClear(): void }) {
  const [open, setOpen] = useState(false)
  const readOnly = useReadOnlyReason()
  const reason = values.size === 0 ? 'Select numbers first.' : null
  return (
    <div>
      <Button size="small" disabledReason={readOnly ?? reason} onPress={() => setOpen(true)}>
        Hold, recall, or make available
        {values.size > 0 && `: ${values.size === 1 ? '1 number' : `${values.size.toLocaleString('en-US')} numbers`}`}
      </Button>
      {values.size > 0 && (
        <Button size="small" kind="plain" onPress={onClear}>
          Clear selection
        </Button>
      )}
      {open && <ChangeInventoryDialog values={[...values]} onDone={onClear} onClose={() => setOpen(false)} />}
    </div>
  )
}

const NoMatch = ({ status }: { status: InventoryStatus | undefined }) => (
  <EmptyState title="No matching numbers">
    <p>
      {status === 'aging'
        ? 'Released numbers age here before they are for sale again.'
        : 'Search by leading digits, by an abbreviated rate center such as Seattle, or by a state such as WA.'}
    </p>
  </EmptyState>
)

const columns: Column<InventoryNumber>[] = [
  { title: 'Number', head: true, cell: ({ id }) => <PhoneNumber value={id} /> },
  { title: 'Status', cell: ({ attributes }) => <NumberStatus {...attributes} /> },
  { title: 'Rate center', cell: ({ attributes }) => placeText(attributes) },
  { title: 'Each month', align: 'end', cell: ({ attributes }) => <Money amount={attributes.monthly_cost} /> },
  { title: 'Once', align: 'end', minor: true, cell: ({ attributes }) => <Money amount={attributes.setup_cost} /> },
  {
    title: 'Supplier',
    minor: true,
    cell: ({ attributes: { supplier, resporg } }) => (
      <>
        {supplier}
        {resporg !== null && <Soft below>RespOrg {resporg}</Soft>}
      </>
    ),
  },
  { title: 'Changed', minor: true, cell: ({ attributes }) => <Time at={attributes.changed_at} date /> },
]

/** The status with the account, the reason, or the date of return. */
function NumberStatus({ value, status, account_id, aging_until, status_reason }: InventoryNumber['attributes']) {
  const { label, meaning } = statusWords[status]
  return (
    <>
      <Status meaning={meaning}>{label}</Status>
      <Soft below>
        {status === 'active' && account_id !== null && (
          <Link to="/numbers/$number" params={{ number: value }} search={{ account: account_id }}>
            <AccountName of={account_id} />
          </Link>
        )}
        {status === 'reserved' && account_id !== null && <AccountName of={account_id} />}
        {aging_until !== null && (
          <>
            For sale again <Time at={aging_until} date />
          </>
        )}
        {status_reason}
      </Soft>
    </>
  )
}
