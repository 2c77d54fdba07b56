import { type Body, useRead, useList } from '../api.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { IfAllowed, Page } from '../shell/page.tsx'
import { PagedList, type Paging } from '../shell/paged-list.tsx'
import {
  type Column,
  Count,
  EmptyState,
  FilterBar,
  FilterChips,
  Link,
  LinkButton,
  PrimaryLink,
  SearchField,
  Table,
  Time,
} from '../ui/index.ts'
import { GapsTable } from './gaps-table.tsx'
import { LevelStatus } from './levels.tsx'
import { gaps, type Gap } from '../search.ts'

type Address = Body<'listE911s'>['data'][number]
type Coverage = Body<'listE911Coverage'>['meta']

const NewAddress = () => (
  <IfAllowed>
    <PrimaryLink to="/e911/new">New address</PrimaryLink>
  </IfAllowed>
)

/** Are my addresses valid, and which numbers have none? */
export function E911Page() {
  const { search, filter, paging } = usePageSearch('/e911')
  const { find, gap } = search
  const coverage = useRead('listE911Coverage', { query: { limit: 1 } })
  return (
    <Page
      title="E911"
      facts={
        coverage.data === undefined ? (
          'Where help is sent when someone dials 911 from one of your numbers.'
        ) : (
          <CoverageFacts {...coverage.data.meta} />
        )
      }
      call={{ operation: 'listE911Coverage', command: 'demarc e911 coverage' }}
      verb={
        <>
          <LinkButton to="/e911/check">Check a file</LinkButton>
          <NewAddress />
        </>
      }
    >
      <FilterBar
        onClear={find === undefined && gap === undefined ? null : () => filter({ find: undefined, gap: undefined })}
      >
        {gap === undefined && (
          <SearchField
            label="Search addresses"
            placeholder="Search by label"
            value={find ?? ''}
            onChange={(text) => filter({ find: text })}
          />
        )}
        <FilterChips
          label="Gaps"
          options={gaps.map((value) => ({ value, label: <GapLabel gap={value} meta={coverage.data?.meta} /> }))}
          value={gap ?? null}
          onChange={(next) => filter({ gap: next ?? undefined })}
        />
      </FilterBar>
      {gap === undefined ? <Addresses find={find} paging={paging} /> : <GapsTable gap={gap} paging={paging} />}
    </Page>
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

function Addresses({ find, paging }: { find: string | undefined; paging: Paging }) {
  const { limit, offset } = paging
  const addresses = useList('listE911s', { query: { limit, offset, label: find } })
  return (
    <PagedList query={addresses} {...paging} empty={<NoAddresses filtered={find !== undefined} />}>
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
    <EmptyState title="No emergency addresses yet" verb={<NewAddress />}>
      When someone dials 911 from one of your numbers, help is sent to its emergency address. Add an address for each
      location, then assign it to the numbers used there.
    </EmptyState>
  )
}
