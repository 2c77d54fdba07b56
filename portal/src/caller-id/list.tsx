import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { qList, type Body } from '../api.ts'
import { useToday } from '../clock.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { Button, RowVerb } from '../ui/button.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { Link } from '../ui/link.tsx'
import { EmptyState, PageHead, Stack, RowVerbs, Soft } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Day, Time } from '../ui/values.tsx'
import css from './caller-id.module.css'
import { DeleteDialog } from './delete-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import type { CallerIdSearch } from '../search.ts'

type Cnam = Body<'listCnams'>['data'][number]
type Opened = { dialog: 'ask' } | { dialog: 'change' | 'delete'; cnam: Cnam }

const limit = 50

/** Which caller-ID names do I have, and are they live? */
export function CallerIdPage() {
  const { state, offset } = useSearch({ from: '/signed-in/caller-id' })
  const change: (next: CallerIdSearch) => void = useChangeSearch('/caller-id')
  const query = {
    limit,
    ...(offset === undefined ? {} : { offset }),
    ...(state === undefined ? {} : { is_approved: state === 'approved' }),
  }
  const names = useQuery(qList('listCnams', { query }))
  const [opened, setOpened] = useState<Opened | null>(null)
  const readOnly = useReadOnlyReason()
  const columns = columnsOf(setOpened, readOnly)
  const ask = (
    <Button kind="primary" disabledReason={readOnly} onPress={() => setOpened({ dialog: 'ask' })}>
      Request a name
    </Button>
  )
  return (
    <Stack>
      <PageHead
        title="Caller ID"
        facts="The names people see when you call them. The operator approves each name before you can assign it to numbers."
        verb={
          <>
            <ShowAsApiCall operation="listCnams" input={{ query }} command="demarc cnam list" />
            {ask}
          </>
        }
      />
      <FilterBar>
        <FilterChips
          label="Status"
          options={[
            { value: 'approved', label: 'Approved' },
            { value: 'not-approved', label: 'Not approved' },
          ]}
          value={state ?? null}
          onChange={(next) => change({ state: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <PagedList
        query={names}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={6}
        empty={<NoNames filtered={state !== undefined} verb={ask} />}
      >
        {(rows, busy) => <Table label="Caller-ID names" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
      <OpenedDialog opened={opened} onClose={() => setOpened(null)} />
    </Stack>
  )
}

function OpenedDialog({ opened, onClose }: { opened: Opened | null; onClose(): void }) {
  if (opened === null) return null
  if (opened.dialog === 'ask') return <NameDialog onClose={onClose} />
  if (opened.dialog === 'change') return <NameDialog changed={opened.cnam} onClose={onClose} />
  return <DeleteDialog cnam={opened.cnam} onClose={onClose} />
}

const columnsOf = (open: (opened: Opened) => void, readOnly: string | null): Column<Cnam>[] => [
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
        <RowVerb
          verb="Change"
          of={cnam.attributes.value}
          disabledReason={
            readOnly ?? (cnam.attributes.is_approved ? 'Approved names can’t be changed. Request a new one.' : null)
          }
          onPress={() => open({ dialog: 'change', cnam })}
        />
        <RowVerb
          verb="Remove"
          of={cnam.attributes.value}
          kind="plain"
          disabledReason={readOnly}
          onPress={() => open({ dialog: 'delete', cnam })}
        />
      </RowVerbs>
    ),
  },
]

function NameState({ is_approved, rejection_reason }: Cnam['attributes']) {
  if (is_approved) return <Status meaning="done">Approved</Status>
  if (rejection_reason === null) return <Status meaning="moving">Awaiting approval</Status>
  return (
    <>
      <Status meaning="refused">Rejected</Status>
      <Soft below>{rejection_reason}</Soft>
    </>
  )
}

/** When other networks started showing the name, or when they are expected to. */
function Network({ expected_by }: Cnam['attributes']) {
  const today = useToday()
  if (expected_by === null) return '—'
  if (expected_by < today)
    return (
      <>
        Since <Day value={expected_by} />
      </>
    )
  return (
    <>
      Expected by <Day value={expected_by} />
    </>
  )
}

function NoNames({ filtered, verb }: { filtered: boolean; verb: ReactNode }) {
  if (filtered)
    return <EmptyState title="No names with this status">Choose another status or clear the filter.</EmptyState>
  return (
    <EmptyState title="No caller-ID names yet" verb={verb}>
      <p>
        Without a name, phones show only your number. Request a name of up to 15 characters. Once the operator approves
        it, assign it to your numbers. Networks take a few business days to show it.
      </p>
    </EmptyState>
  )
}
