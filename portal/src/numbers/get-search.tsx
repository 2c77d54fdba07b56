import { numberOrders } from '@demarc/client'
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { q, qList } from '../api.ts'
import { runs, type GetNumbersSearch } from '../search.ts'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBar, FilterChips, SearchField } from '../ui/filter-bar.tsx'
import { Card, EmptyState, Figures, Row, Skeleton, Soft, Stack } from '../ui/panels.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Count, Money, PhoneNumber } from '../ui/values.tsx'
import { costOf, filtersOf, selectedFrom, type AvailableNumber, type Cart } from './cart.ts'
import { placeText } from './rate-center.ts'

const limit = 50

const runOptions = runs.map((value) => ({ value, label: `${value} in a row` }))
const typeOptions = [{ value: 'toll-free', label: 'Toll-free' }] as const

/** Searches the numbers for sale and selects some. */
export function SearchForSale({
  search,
  change,
  cart,
  onSelect,
  onSetUp,
}: {
  search: GetNumbersSearch
  change(next: GetNumbersSearch): void
  cart: Cart
  onSelect(cart: Cart): void
  onSetUp(): void
}) {
  const filters = filtersOf(search)
  const is_filtered = Object.keys(filters).length > 0
  const find = useCallback((place: string) => change({ place, offset: undefined }), [change])
  const spell = useCallback((spells: string) => change({ spells, offset: undefined }), [change])
  return (
    <>
      <FilterBar
        onClear={
          is_filtered
            ? () => change({ place: undefined, spells: undefined, run: undefined, type: undefined, offset: undefined })
            : null
        }
      >
        <SearchField
          label="Place or area code"
          placeholder="Area code, place, state, or ZIP Code"
          value={search.place ?? ''}
          onChange={find}
        />
        <SearchField
          label="Digits or a word"
          placeholder="Digits, or a word to spell"
          value={search.spells ?? ''}
          onChange={spell}
        />
        <FilterChips
          label="Consecutive numbers"
          options={runOptions}
          value={search.run ?? null}
          onChange={(run) => change({ run: run ?? undefined, offset: undefined })}
        />
        <FilterChips
          label="Type"
          options={typeOptions}
          value={search.type ?? null}
          onChange={(type) => change({ type: type ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <Selected cart={cart} onClear={() => onSelect(new Map())} onSetUp={onSetUp} />
      {is_filtered ? (
        <Results search={search} change={change} cart={cart} onSelect={onSelect} />
      ) : (
        <AreaCodes onChoose={find} />
      )}
    </>
  )
}

/** The selected numbers and their cost. */
function Selected({ cart, onClear, onSetUp }: { cart: Cart; onClear(): void; onSetUp(): void }) {
  const reason =
    cart.size === 0
      ? 'Select numbers first.'
      : cart.size > numberOrders.orderedNumbers_max
        ? `An order has at most ${numberOrders.orderedNumbers_max.toLocaleString('en-US')} numbers.`
        : null
  return (
    <Card
      title="Your selection"
      aside={
        <Row>
          {cart.size > 0 && (
            <Button kind="plain" size="small" onPress={onClear}>
              Clear selection
            </Button>
          )}
          <Button kind="primary" size="small" disabledReason={reason} onPress={onSetUp}>
            Set up and order
          </Button>
        </Row>
      }
    >
      <CartFigures cart={cart} />
    </Card>
  )
}

/** How many numbers, and what they cost together. */
export const CartFigures = ({ cart }: { cart: Cart }) => (
  <Figures
    busy={false}
    figures={[
      ['Numbers', <Count key="count" of={cart.size} />],
      ['Each month', <Money key="monthly" amount={costOf(cart, 'monthly_cost')} />],
      ['Once', <Money key="once" amount={costOf(cart, 'setup_cost')} />],
    ]}
  />
)

function Results({
  search,
  change,
  cart,
  onSelect,
}: {
  search: GetNumbersSearch
  change(next: GetNumbersSearch): void
  cart: Cart
  onSelect(cart: Cart): void
}) {
  const { offset } = search
  const query = { limit, ...(offset === undefined ? {} : { offset }), ...filtersOf(search) }
  const numbers = useQuery(qList('listAvailableNumbers', { query }))
  return (
    <PagedList
      query={numbers}
      limit={limit}
      offset={offset}
      onOffset={(next) => change({ offset: next })}
      skeleton_rows={10}
      empty={
        <EmptyState title="No matching numbers are for sale">
          <p>
            Places are abbreviated rate centers, such as Seattle or Bellevue, WA. Try an area code, or remove a filter.
          </p>
        </EmptyState>
      }
    >
      {(rows, busy) => (
        <Stack gap="narrow">
          <Soft as="p">
            {numbers.data?.meta.total_count.toLocaleString('en-US')}{' '}
            {numbers.data?.meta.total_count === 1 ? 'number matches' : 'numbers match'}
          </Soft>
          <Table
            label="Numbers for sale"
            columns={columns}
            rows={rows}
            keyOf={({ attributes }) => attributes.value}
            busy={busy}
            selection={{
              selected: new Set(cart.keys()),
              onChange: (values) => onSelect(selectedFrom(cart, values, rows)),
            }}
          />
        </Stack>
      )}
    </PagedList>
  )
}

const columns: Column<AvailableNumber>[] = [
  { title: 'Number', head: true, cell: ({ attributes: { value } }) => <PhoneNumber value={value} /> },
  {
    title: 'Place',
    cell: ({ attributes }) => placeText(attributes),
  },
  {
    title: 'Each month',
    align: 'end',
    cell: ({ attributes: { monthly_cost } }) => <Money amount={monthly_cost} />,
  },
  { title: 'Once', align: 'end', cell: ({ attributes: { setup_cost } }) => <Money amount={setup_cost} /> },
]

/** Where numbers are for sale, before a search. */
function AreaCodes({ onChoose }: { onChoose(place: string): void }) {
  const codes = useQuery(q('listAvailableAreaCodes', { query: { limit: 400 } }))
  return (
    <Card title="Area codes with numbers for sale">
      <Loaded query={codes} skeleton={<Skeleton rows={2} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No numbers are for sale">
              <p>Numbers appear here when the operator adds them. You can port numbers from another carrier.</p>
            </EmptyState>
          ) : (
            <FilterChips
              label="Area codes"
              value={null}
              options={data.map(({ id, attributes }) => ({
                value: id,
                label: (
                  <>
                    {id} <Soft>{attributes.available_count.toLocaleString('en-US')}</Soft>
                  </>
                ),
              }))}
              onChange={(code) => code !== null && onChoose(code)}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
