import { countText } from '@demarc/client/rules'
import { useState } from 'react'
import { useList, type Body } from '../api.ts'
import { costColumns } from '../numbers/costs.tsx'
import { placeText, rateCenterOf, typeLabels } from '../numbers/rate-center.ts'
import type { InventorySearch } from '../operator/search.ts'
import { AccountName } from '../shell/account-search.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { DialogButton } from '../shell/change-buttons.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import {
  Button,
  EmptyState,
  FilterBar,
  FilterBy,
  Link,
  PhoneNumber,
  Row,
  SearchField,
  Soft,
  Stack,
  StatusOf,
  Table,
  Time,
  TwoLines,
  type Column,
  type StatusWords,
} from '../ui/index.ts'
import { ChangeInventoryDialog } from './change-dialog.tsx'
import { NoStock } from './stock.tsx'

type InventoryNumber = Body<'listInventory'>['data'][number]
type InventoryStatus = InventoryNumber['attributes']['status']

const statusWords: StatusWords<InventoryStatus> = {
  available: { label: 'Available', meaning: 'done' },
  reserved: { label: 'Reserved', meaning: 'moving' },
  active: { label: 'Active', meaning: 'done' },
  aging: { label: 'Aging', meaning: 'moving' },
  held: { label: 'Held', meaning: 'quiet' },
  recalled: { label: 'Recalled', meaning: 'refused' },
  ported_out: { label: 'Ported out', meaning: 'quiet' },
}

const noFilters = { find: undefined, status: undefined, type: undefined, of: undefined }

/** The inventory's numbers with their statuses. */
export function InventoryNumbers() {
  const { search, filter, page, paging } = usePageSearch('/operator/inventory', 50, '/operator/inventory/numbers')
  const { find, status, type, of } = search
  const numbers = useList('listInventory', { query: { ...page, ...filtersOf(search) } })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const isFiltered = (find ?? status ?? type ?? of) !== undefined
  return (
    <Stack gap="narrow">
      <FilterBar onClear={isFiltered ? () => filter(noFilters) : null}>
        <SearchField
          label="Digits or rate center"
          placeholder="Leading digits, rate center, or state"
          value={find ?? ''}
          onChange={(text) => filter({ find: text })}
        />
        <FilterBy label="Status" labels={statusWords} value={status} onChange={(next) => filter({ status: next })} />
        <FilterBy label="Type" labels={typeLabels} value={type} onChange={(next) => filter({ type: next })} />
        {of !== undefined && (
          <Soft>
            Only numbers of <AccountName of={of} />
          </Soft>
        )}
      </FilterBar>
      <Selected values={[...selected]} onClear={() => setSelected(new Set())} />
      <PagedList query={numbers} {...paging} empty={isFiltered ? <NoMatch status={status} /> : <NoStock />}>
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

/** The API's filters for a search. */
function filtersOf({ find = '', status, type, of }: InventorySearch) {
  const digits = find.replace(/[\s().+-]/g, '')
  return {
    ...(/^\d+$/.test(digits) ? { starts_with: digits } : rateCenterOf(find.trim())),
    status,
    number_type: type,
    account_id: of,
  }
}

/** Actions for the selected numbers, across all pages of the list. */
function Selected({ values, onClear }: { values: readonly string[]; onClear(): void }) {
  return (
    <Row>
      <DialogButton
        size="small"
        disabledReason={values.length === 0 ? 'Select numbers first.' : null}
        dialog={(close) => <ChangeInventoryDialog numbers={values} onDone={onClear} onClose={close} />}
      >
        Hold, recall, or make available
        {values.length > 0 && `: ${countText(values.length, 'number')}`}
      </DialogButton>
      {values.length > 0 && (
        <Button size="small" kind="plain" onPress={onClear}>
          Clear selection
        </Button>
      )}
    </Row>
  )
}

const NoMatch = ({ status }: { status: InventoryStatus | undefined }) => (
  <EmptyState title="No matching numbers">
    {status === 'aging'
      ? 'Released numbers age here before they are for sale again.'
      : 'Search by leading digits, by an abbreviated rate center such as Seattle, or by a state such as WA.'}
  </EmptyState>
)

const columns: Column<InventoryNumber>[] = [
  { title: 'Number', head: true, cell: ({ id }) => <PhoneNumber value={id} /> },
  { title: 'Status', cell: ({ attributes }) => <NumberStatus {...attributes} /> },
  { title: 'Rate center', cell: ({ attributes }) => placeText(attributes) },
  ...costColumns,
  {
    title: 'Supplier',
    minor: true,
    cell: ({ attributes: { supplier, resporg } }) => (
      <TwoLines below={resporg !== null && `RespOrg ${resporg}`}>{supplier}</TwoLines>
    ),
  },
  { title: 'Changed', minor: true, cell: ({ attributes }) => <Time at={attributes.changed_at} date /> },
]

/** The status with the account, the reason, or the date of return. */
function NumberStatus({ value, status, account_id, aging_until, status_reason }: InventoryNumber['attributes']) {
  const below = (
    <>
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
    </>
  )
  return (
    <TwoLines below={below}>
      <StatusOf words={statusWords} value={status} />
    </TwoLines>
  )
}
