import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { q, qList, type Body } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { IfAllowed } from '../shell/if-allowed.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { FilterBar, FilterChips, SearchField } from '../ui/filter-bar.tsx'
import { Link, LinkButton, PrimaryLink } from '../ui/link.tsx'
import { EmptyState, PageHead, Stack } from '../ui/panels.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Count, Time } from '../ui/values.tsx'
import { GapsTable } from './gaps-table.tsx'
import { LevelStatus } from './levels.tsx'
import { replacesEntry, gaps, type E911Search, type Gap } from '../search.ts'

type Address = Body<'listE911s'>['data'][number]
type Coverage = Body<'listE911Coverage'>['meta']

const limit = 50

/** Are my addresses valid, and which numbers have none? */
export function E911Page() {
  const { find, gap, offset } = useSearch({ from: '/signed-in/e911' })
  const navigate = useNavigate()
  const change = useCallback(
    (next: E911Search) => {
      const replace = replacesEntry(next)
      void navigate({ to: '/e911', search: (before) => ({ ...before, offset: undefined, ...next }), replace })
    },
    [navigate],
  )
  const coverage = useQuery(q('listE911Coverage', { query: { limit: 1 } }))
  const onPage = (next: number | undefined) => change({ offset: next })
  return (
    <Stack>
      <PageHead
        title="E911"
        facts={
          coverage.data === undefined ? (
            'Where help is sent when someone dials 911 from one of your numbers.'
          ) : (
            <CoverageFacts {...coverage.data.meta} />
          )
        }
        verb={
          <>
            <ShowAsApiCall operation="listE911Coverage" command="demarc e911 coverage" />
            <LinkButton to="/e911/check">Check a file</LinkButton>
            <IfAllowed>
              <PrimaryLink to="/e911/new">New address</PrimaryLink>
            </IfAllowed>
          </>
        }
      />
      <FilterBar
        onClear={find === undefined && gap === undefined ? null : () => change({ find: undefined, gap: undefined })}
      >
        {gap === undefined && (
          <SearchField
            label="Search addresses"
            placeholder="Search by label"
            value={find ?? ''}
            onChange={(text) => change({ find: text })}
          />
        )}
        <FilterChips
          label="Gaps"
          options={gaps.map((value) => ({ value, label: <GapLabel gap={value} meta={coverage.data?.meta} /> }))}
          value={gap ?? null}
          onChange={(next) => change({ gap: next ?? undefined })}
        />
      </FilterBar>
      {gap === undefined ? (
        <Addresses find={find} offset={offset} onPage={onPage} />
      ) : (
        <GapsTable gap={gap} offset={offset} onPage={onPage} />
      )}
    </Stack>
  )
}

function CoverageFacts({ numbers, addresses, no_address, level_required }: Coverage) {
  return (
    <>
      {numbers === 0 ? (
        'No number needs an address yet.'
      ) : no_address === 0 ? (
        <>
          All <Count of={numbers} /> numbers have an address.
        </>
      ) : (
        <strong>
          <Count of={no_address} /> of <Count of={numbers} /> numbers {no_address === 1 ? 'has' : 'have'} no address.
        </strong>
      )}{' '}
      {addresses === 0 ? (
        'No addresses stored'
      ) : addresses === 1 ? (
        '1 address'
      ) : (
        <>
          <Count of={addresses} /> addresses
        </>
      )}
      ; required level: {level_required}.
    </>
  )
}

const gapLabels: Readonly<Record<Gap, string>> = {
  no_address: 'No address',
  below_level: 'Below the required level',
  recheck_due: 'Due for recheck',
  no_unit: 'Floor or suite missing',
}

const GapLabel = ({ gap, meta }: { gap: Gap; meta: Coverage | undefined }) => (
  <>
    {gapLabels[gap]} {meta !== undefined && <Count of={meta[gap]} />}
  </>
)

function Addresses({
  find,
  offset = 0,
  onPage,
}: {
  find: string | undefined
  offset: number | undefined
  onPage(offset: number | undefined): void
}) {
  const query = { limit, offset, ...(find === undefined ? {} : { label: find }) }
  const addresses = useQuery(qList('listE911s', { query }))
  return (
    <PagedList
      query={addresses}
      {...{ limit, offset }}
      onOffset={onPage}
      skeleton_rows={8}
      empty={<NoAddresses filtered={find !== undefined} />}
    >
      {(rows, busy) => <Table label="Emergency addresses" columns={columns} rows={rows} busy={busy} />}
    </PagedList>
  )
}

const columns: Column<Address>[] = [
  {
    title: 'Label',
    head: true,
    cell: ({ id, attributes: { label } }) => (
      <Link to="/e911/$e911_id" params={{ e911_id: id }}>
        {label}
      </Link>
    ),
  },
  {
    title: 'Address',
    cell: ({ attributes: a }) =>
      `${a.street_number} ${a.street_name}${a.address_type === null ? '' : `, ${a.address_type} ${a.address_type_number ?? ''}`}, ${a.city}, ${a.state} ${a.zip}`,
  },
  {
    title: 'Evidence',
    cell: ({ attributes: { validation } }) => <LevelStatus level={validation.level} />,
  },
  {
    title: 'Checked',
    minor: true,
    cell: ({ attributes: { validation } }) => <Time at={validation.validated_at} date />,
  },
]

function NoAddresses({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="No matching addresses">The search matches any part of the label.</EmptyState>
  return (
    <EmptyState
      title="No emergency addresses yet"
      verb={
        <IfAllowed>
          <PrimaryLink to="/e911/new">New address</PrimaryLink>
        </IfAllowed>
      }
    >
      <p>
        When someone dials 911 from one of your numbers, help is sent to its emergency address. Add an address for each
        location, then assign it to the numbers used there.
      </p>
    </EmptyState>
  )
}
