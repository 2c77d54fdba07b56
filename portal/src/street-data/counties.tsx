import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRead } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { type Column, Count, EmptyState, type Meaning, Row, Soft, Stack, Status, Table } from '../ui/index.ts'
import { coverageWords, type County } from './words.ts'

const limit = 20

/** Coverage of a state's counties, lowest first. */
export function Counties({ state }: { state: string }) {
  const { county_offset: offset } = useSearch({ from: '/signed-in/operator/street-data' })
  const navigate = useNavigate()
  const query = { state, limit, ...(offset && { offset }) }
  const turn = (county_offset: number | undefined) =>
    void navigate({
      to: '/operator/street-data',
      search: (before) => ({ ...before, county_offset }),
      replace: true,
      resetScroll: false,
    })
  const counties = useRead('listE911Counties', { query })
  return (
    <Stack gap="narrow">
      <Row>
        <Soft>
          Counties of {state}, lowest coverage first. In a covered ZIP code, an address missing from the data is
          corrected or refused; elsewhere it may be accepted by postal code. Each ZIP code counts toward the county of
          its post office.
        </Soft>
        <ShowAsApiCall
          operation="listE911Counties"
          input={{ query: { state } }}
          command={`demarc e911-dataset counties --state ${state}`}
        />
      </Row>
      <PagedList
        query={counties}
        {...{ limit, offset }}
        onOffset={turn}
        skeleton_rows={4}
        empty={<EmptyState title="No counties">The postal data has no ZIP codes for {state}.</EmptyState>}
      >
        {(rows, busy) => (
          <Table
            label={`Counties of ${state}`}
            columns={columns}
            rows={rows}
            keyOf={({ fips }) => fips ?? ''}
            busy={busy}
          />
        )}
      </PagedList>
    </Stack>
  )
}

const columns: readonly Column<County>[] = [
  {
    title: 'County',
    head: true,
    cell: ({ name, fips }) => (
      <>
        {name ?? 'Unknown county'}
        {fips !== null && <Soft below>FIPS {fips}</Soft>}
      </>
    ),
  },
  {
    title: 'Coverage',
    cell: (county) => {
      const { label, meaning } = countyWords(county)
      return <Status meaning={meaning}>{label}</Status>
    },
  },
  {
    title: 'ZIP codes covered',
    align: 'end',
    cell: ({ covered, zip_codes }) => `${covered} of ${zip_codes}`,
  },
  { title: 'Not covered', cell: lackingText },
  { title: 'Streets', align: 'end', cell: ({ streets }) => <Count of={streets} /> },
]

function countyWords({ zip_codes, covered, partial, thin }: County): { label: string; meaning: Meaning } {
  if (covered === zip_codes && covered > 0) return coverageWords.covered
  if (covered + partial > 0) return coverageWords.partial
  return thin > 0 ? coverageWords.thin : { label: 'No data', meaning: 'quiet' }
}

/** `1 partial, 2 thin, 4 without data`. */
function lackingText({ partial, thin, without_data }: County): string {
  const counts = [
    [partial, 'partial'],
    [thin, 'thin'],
    [without_data, 'without data'],
  ] as const
  const texts = counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]))
  return texts.length === 0 ? '—' : texts.join(', ')
}
