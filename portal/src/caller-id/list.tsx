import { type Body, useList } from '../api.ts'
import { useToday } from '../clock.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { DialogButton, RowDialog } from '../shell/change-buttons.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import {
  type Column,
  Day,
  EmptyState,
  FilterBar,
  FilterBy,
  Link,
  RowVerbs,
  Status,
  Table,
  Time,
  TwoLines,
} from '../ui/index.ts'
import css from './caller-id.module.css'
import { DeleteDialog } from './delete-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'

type Cnam = Body<'listCnams'>['data'][number]

const stateLabels = { approved: 'Approved', 'not-approved': 'Not approved' } as const

const ask = (
  <DialogButton kind="primary" dialog={(close) => <NameDialog onClose={close} />}>
    Request a name
  </DialogButton>
)

/** Which caller ID names do I have, and are they live? */
export function CallerIdPage() {
  const { search, filter, page, paging } = usePageSearch('/caller-id')
  const { state } = search
  const query = { ...page, is_approved: state && state === 'approved' }
  const names = useList('listCnams', { query })
  return (
    <Page
      title="Caller ID"
      facts="The names people see when you call them. The operator approves each name before you can assign it to numbers."
      call={{ operation: 'listCnams', input: { query }, command: 'demarc cnam list' }}
      verb={ask}
    >
      <FilterBar>
        <FilterBy label="Status" labels={stateLabels} value={state} onChange={(next) => filter({ state: next })} />
      </FilterBar>
      <PagedList query={names} {...paging} empty={<NoNames filtered={state !== undefined} />}>
        {(rows, busy) => <Table label="Caller ID names" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Page>
  )
}

const columns: Column<Cnam>[] = [
  {
    title: 'Name',
    head: true,
    cell: ({ id, attributes: { value } }) => (
      <Link to="/numbers" search={(before) => ({ ...before, cnam_id: id })} title="Numbers with this name">
        <span className={css.whole}>{value}</span>
      </Link>
    ),
  },
  { title: 'Status', cell: ({ attributes }) => <NameState {...attributes} /> },
  { title: 'On the network', cell: ({ attributes }) => <Network {...attributes} /> },
  {
    title: 'Requested',
    minor: true,
    cell: ({ attributes: { creation_datetime: at } }) => (at === null ? '—' : <Time at={at} date />),
  },
  {
    title: 'Change',
    verbs: true,
    cell: (cnam) => (
      <RowVerbs>
        <RowDialog
          verb="Change"
          of={cnam.attributes.value}
          disabledReason={cnam.attributes.is_approved ? 'Approved names can’t be changed. Request a new one.' : null}
          dialog={(close) => <NameDialog changed={cnam} onClose={close} />}
        />
        <RowDialog
          verb="Remove"
          of={cnam.attributes.value}
          kind="plain"
          dialog={(close) => <DeleteDialog cnam={cnam} onClose={close} />}
        />
      </RowVerbs>
    ),
  },
]

function NameState({ is_approved, rejection_reason }: Cnam['attributes']) {
  if (is_approved) return <Status meaning="done">Approved</Status>
  if (rejection_reason === null) return <Status meaning="moving">Awaiting approval</Status>
  return (
    <TwoLines below={rejection_reason}>
      <Status meaning="refused">Rejected</Status>
    </TwoLines>
  )
}

/** When other networks started showing the name, or when they are expected to. */
function Network({ expected_by }: Cnam['attributes']) {
  const today = useToday()
  if (expected_by === null) return '—'
  return (
    <>
      {expected_by < today ? 'Since' : 'Expected by'} <Day value={expected_by} />
    </>
  )
}

function NoNames({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No names with this status">Choose another status or clear the filter.</EmptyState>
  return (
    <EmptyState title="No caller ID names yet" verb={ask}>
      Without a name, phones show only your number. Request a name of up to 15 characters. Once the operator approves
      it, assign it to your numbers. Networks take a few business days to show it.
    </EmptyState>
  )
}
