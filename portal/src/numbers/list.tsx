import { countText } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { useState } from 'react'
import { type Body, everything, useList } from '../api.ts'
import { commandWith } from '../shell/api-call.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { GetNumbers, Page, PortNumbers } from '../shell/page.tsx'
import { DialogButton, toastRefusal } from '../shell/change-buttons.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { Button, EmptyState, FilterBar, FilterBy, SearchField, toast } from '../ui/index.ts'
import { ChangeDialog } from './change-fields.tsx'
import { unchanged } from './changes.ts'
import { ImportDialog } from './import-dialog.tsx'
import { NumbersTable } from './table.tsx'
import type { NumbersSearch } from '../search.ts'
import { saveFile } from '../files.ts'
import { loadCatalog } from './names.ts'
import { tableOf } from './table-file.ts'

const limit = 50

const e911Labels = { none: 'No E911 address', set: 'With E911 address' } as const

/** Which numbers do I have, and how is each set up? */
export function NumbersPage() {
  const { search, filter, paging } = usePageSearch('/numbers')
  const query = queryOf(search)
  const numbers = useList('listNumbers', { query })
  const filtered = search.find !== undefined || search.cnam_id !== undefined || search.e911 !== undefined
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  return (
    <Page
      title="Numbers"
      facts="Your numbers, with their routes, caller ID, and emergency addresses."
      call={{ operation: 'listNumbers', input: { query }, command: commandWith('demarc numbers list', query) }}
      verb={<HeadVerbs query={query} />}
    >
      <FilterBar
        onClear={filtered ? () => filter({ find: undefined, cnam_id: undefined, e911: undefined }) : null}
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
          onChange={(find) => filter({ find })}
        />
        <FilterBy
          label="Emergency address"
          labels={e911Labels}
          value={search.e911}
          onChange={(e911) => filter({ e911 })}
        />
        {selected.size > 0 && (
          <SelectedVerbs
            selected={selected}
            matching={isComplete(numbers.data, selected, search.offset) ? query : null}
            onChange={setSelected}
          />
        )}
      </FilterBar>
      <PagedList query={numbers} {...paging} empty={<NoNumbers filtered={filtered} />}>
        {(rows, busy) => <NumbersTable rows={rows} busy={busy} selection={{ selected, onChange: setSelected }} />}
      </PagedList>
    </Page>
  )
}

const HeadVerbs = ({ query }: { query: ReturnType<typeof queryOf> }) => (
  <>
    <ExportButton query={query} />
    <DialogButton dialog={(close) => <ImportDialog onClose={close} />}>
      <Upload aria-hidden="true" />
      Import
    </DialogButton>
    <GetNumbers />
  </>
)

/** Whether the whole page is selected and there are other pages. */
function isComplete(
  page: Body<'listNumbers'> | undefined,
  selected: ReadonlySet<string>,
  offset: number | undefined,
): boolean {
  if (page === undefined || (page.links.next === undefined && offset === undefined)) return false
  return page.data.every(({ attributes }) => selected.has(attributes.value))
}

interface SelectedVerbsProps {
  selected: ReadonlySet<string>
  /** Whether the numbers of all pages can be selected. */
  matching: ReturnType<typeof queryOf> | null
  onChange(selected: ReadonlySet<string>): void
}

/** Actions for the selected numbers, across all pages of the list. */
function SelectedVerbs({ selected, matching, onChange }: SelectedVerbsProps) {
  const [open, setOpen] = useState(false)
  const all = useMutation({
    mutationFn: async () => {
      const { limit: _limit, offset: _offset, ...filters } = matching ?? { limit }
      const numbers = await everything('listNumbers', { query: filters })
      onChange(new Set(numbers.map(({ attributes }) => attributes.value)))
      return numbers.length
    },
    onError: toastRefusal,
  })
  return (
    <>
      <Button kind="primary" onPress={() => setOpen(true)}>
        Change {countText(selected.size, 'number')}
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

/** Digits match the number, other text the alias. */
function queryOf({ find, cnam_id, e911, offset }: NumbersSearch) {
  const digits = find?.replace(/[\s().+-]/g, '') ?? ''
  const isNumber = /^\d{1,15}$/.test(digits)
  return {
    limit,
    offset,
    cnam_id,
    has_e911: e911 && e911 === 'set',
    // toll-free numbers have no 911 service
    number_type: e911 === 'none' ? ('longcode' as const) : undefined,
    contains: isNumber ? digits : undefined,
    alias: isNumber ? undefined : find,
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
        Digits match any part of a number, in any notation. Words match the alias.
      </EmptyState>
    )
  return (
    <EmptyState title="No numbers yet" verb={<FirstVerbs />}>
      Get new numbers, or port yours from another carrier. You can then set each number’s route, caller ID name, and
      emergency address.
    </EmptyState>
  )
}

/** Saves all matching numbers as a CSV that can be edited and imported. */
export function ExportButton({ query }: { query: ReturnType<typeof queryOf> }) {
  const save = useMutation({
    mutationFn: async () => {
      const { limit: _limit, offset: _offset, ...filters } = query
      const [numbers, catalog] = await Promise.all([everything('listNumbers', { query: filters }), loadCatalog()])
      saveFile('numbers.csv', 'text/csv', tableOf(numbers, catalog))
      return numbers.length
    },
    onSuccess: (count) => toast(`Exported ${countText(count, 'number')} to numbers.csv.`),
    onError: toastRefusal,
  })
  return (
    <Button onPress={() => save.mutate()} isPending={save.isPending}>
      <Download aria-hidden="true" />
      Export
    </Button>
  )
}
