import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Download, Upload } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { type Body, everything, qList, refusalOf } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { shellQuoted } from '../ui/text.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBar, FilterChips, SearchField } from '../ui/filter-bar.tsx'
import { EmptyState, PageHead, Stack } from '../ui/panels.tsx'
import { toast } from '../ui/toast.tsx'
import { ChangeDialog } from './change-fields.tsx'
import { unchanged } from './changes.ts'
import { ImportDialog } from './import-dialog.tsx'
import { NumbersTable } from './table.tsx'
import type { NumbersSearch } from '../search.ts'
import { GetNumbers, PortNumbers } from '../shell/if-allowed.tsx'
import { saveFile } from '../files.ts'
import { loadCatalog } from './names.ts'
import { tableOf } from './table-file.ts'

const limit = 50

const e911Options = [
  { value: 'none', label: 'No E911 address' },
  { value: 'set', label: 'With E911 address' },
] as const

/** Which numbers do I have, and how is each set up? */
export function NumbersPage() {
  const search = useSearch({ from: '/signed-in/numbers' })
  const change: (next: NumbersSearch) => void = useChangeSearch('/numbers')
  const find = useCallback((text: string) => change({ find: text, offset: undefined }), [change])
  const query = queryOf(search)
  const numbers = useQuery(qList('listNumbers', { query }))
  const filtered = search.find !== undefined || search.cnam_id !== undefined || search.e911 !== undefined
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  return (
    <Stack>
      <PageHead
        title="Numbers"
        facts="Your numbers, with their routes, caller ID, and emergency addresses."
        verb={<HeadVerbs query={query} />}
      />
      <FilterBar
        onClear={
          filtered ? () => change({ find: undefined, cnam_id: undefined, e911: undefined, offset: undefined }) : null
        }
        count={
          selected.size === 0 && numbers.data?.data.length !== 0
            ? 'Select numbers to change several at the same time.'
            : undefined
        }
      >
        <SearchField
          label="Search numbers"
          placeholder="Search by digits or alias"
          value={search.find ?? ''}
          onChange={find}
        />
        <FilterChips
          label="Emergency address"
          options={e911Options}
          value={search.e911 ?? null}
          onChange={(e911) => change({ e911: e911 ?? undefined, offset: undefined })}
        />
        {selected.size > 0 && (
          <SelectedVerbs
            selected={selected}
            matching={isComplete(numbers.data, selected, search.offset) ? query : null}
            onChange={setSelected}
          />
        )}
      </FilterBar>
      <PagedList
        query={numbers}
        limit={limit}
        offset={search.offset}
        onOffset={(offset) => change({ offset })}
        skeleton_rows={10}
        empty={<NoNumbers filtered={filtered} />}
      >
        {(rows, busy) => <NumbersTable rows={rows} busy={busy} selection={{ selected, onChange: setSelected }} />}
      </PagedList>
    </Stack>
  )
}

function HeadVerbs({ query }: { query: ReturnType<typeof queryOf> }) {
  const [importing, setImporting] = useState(false)
  return (
    <>
      <ShowAsApiCall operation="listNumbers" input={{ query }} command={commandOf(query)} />
      <ExportButton query={query} />
      <Button disabledReason={useReadOnlyReason()} onPress={() => setImporting(true)}>
        <Upload aria-hidden="true" />
        Import
      </Button>
      <GetNumbers />
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  )
}

/** Whether the whole page is selected and there are other pages. */
function isComplete(
  page: Body<'listNumbers'> | undefined,
  selected: ReadonlySet<string>,
  offset: number | undefined,
): boolean {
  if (page === undefined || (page.links.next === undefined && offset === undefined)) return false
  return page.data.every(({ attributes }) => selected.has(attributes.value))
}

/** Actions for the selected numbers, across all pages of the list. */
function SelectedVerbs({
  selected,
  matching,
  onChange,
}: {
  selected: ReadonlySet<string>
  /** Whether the numbers of all pages can be selected. */
  matching: ReturnType<typeof queryOf> | null
  onChange(selected: ReadonlySet<string>): void
}) {
  const [open, setOpen] = useState(false)
  const all = useMutation({
    mutationFn: async () => {
      const { limit: _limit, offset: _offset, ...filters } = matching ?? { limit }
      const numbers = await everything('listNumbers', { query: filters })
      onChange(new Set(numbers.map(({ attributes }) => attributes.value)))
      return numbers.length
    },
    onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
  })
  const count = selected.size.toLocaleString('en-US')
  return (
    <>
      <Button kind="primary" onPress={() => setOpen(true)}>
        Change {selected.size === 1 ? '1 number' : `${count} numbers`}
      </Button>
      {matching !== null && selected.size !== all.data && (
        <Button isPending={all.isPending} onPress={() => all.mutate()}>
          Select all that match
        </Button>
      )}
      <Button kind="plain" onPress={() => onChange(new Set())}>
        Clear selection
      </Button>
      {open && <ChangeDialog values={[...selected].toSorted()} initial={unchanged} onClose={() => setOpen(false)} />}
    </>
  )
}

const commandOf = (query: ReturnType<typeof queryOf>) =>
  [
    'demarc numbers list',
    ...Object.entries(query).map(([name, value]) => `--${name.replaceAll('_', '-')} ${shellQuoted(String(value))}`),
  ].join(' ')

/** Digits match the number, other text the alias. */
function queryOf({ find, cnam_id, e911, offset }: NumbersSearch): {
  limit: number
  offset?: number
  cnam_id?: string
  has_e911?: boolean
  number_type?: 'longcode'
  contains?: string
  alias?: string
} {
  const digits = find?.replace(/[\s().+-]/g, '') ?? ''
  return {
    limit,
    ...(offset === undefined ? {} : { offset }),
    ...(cnam_id === undefined ? {} : { cnam_id }),
    ...(e911 === 'set' ? { has_e911: true } : {}),
    // toll-free numbers have no 911 service
    ...(e911 === 'none' ? { has_e911: false, number_type: 'longcode' as const } : {}),
    ...(find === undefined ? {} : /^\d{1,15}$/.test(digits) ? { contains: digits } : { alias: find }),
  }
}

const FirstVerbs = () => (
  <>
    <GetNumbers />
    <PortNumbers />
  </>
)

function NoNumbers({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <EmptyState title="No matching numbers">
        <p>Digits match any part of a number, in any notation. Words match the alias.</p>
      </EmptyState>
    )
  return (
    <EmptyState title="No numbers yet" verb={<FirstVerbs />}>
      <p>
        Get new numbers, or port yours from another carrier. You can then set each number’s route, caller-ID name, and
        emergency address.
      </p>
    </EmptyState>
  )
}

/** Saves all matching numbers as a CSV that can be edited and imported. */
export function ExportButton({ query }: { query: Record<string, string | number | boolean> }) {
  const save = useMutation({
    mutationFn: async () => {
      const { limit: _limit, offset: _offset, ...filters } = query
      const [numbers, catalog] = await Promise.all([everything('listNumbers', { query: filters }), loadCatalog()])
      saveFile('numbers.csv', 'text/csv', tableOf(numbers, catalog))
      return numbers.length
    },
    onSuccess: (count) =>
      toast(count === 1 ? 'Exported 1 number to numbers.csv.' : `Exported ${count} numbers to numbers.csv.`),
    onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
  })
  return (
    <Button onPress={() => save.mutate()} isPending={save.isPending}>
      <Download aria-hidden="true" />
      Export
    </Button>
  )
}
