import { numberOrders } from '@demarc/client'
import { useList, useRead } from '../api.ts'
import { runs } from '../search.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import {
  Button,
  Card,
  Count,
  EmptyState,
  Figures,
  FilterBar,
  FilterBy,
  FilterChips,
  PhoneNumber,
  Row,
  SearchField,
  Skeleton,
  Soft,
  Stack,
  Table,
  type Column,
} from '../ui/index.ts'
import { costsOf, filtersOf, selectedFrom, type AvailableNumber, type Cart } from './cart.ts'
import { costColumns, costFigures } from './costs.tsx'
import { placeText, typeLabels } from './rate-center.ts'

const runOptions = runs.map((value) => ({ value, label: `${value} in a row` }))
const noFilters = { place: undefined, spells: undefined, run: undefined, type: undefined }

interface SelectionProps {
  cart: Cart
  onSelect(cart: Cart): void
}

/** Searches the numbers for sale and selects some. */
export function SearchForSale({ cart, onSelect, onSetUp }: SelectionProps & { onSetUp(): void }) {
  const { search, filter } = usePageSearch('/numbers/get')
  const isFiltered = Object.keys(filtersOf(search)).length > 0
  const find = (place: string) => filter({ place })
  return (
    <>
      <FilterBar onClear={isFiltered ? () => filter(noFilters) : null}>
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
          onChange={(spells) => filter({ spells })}
        />
        <FilterChips
          label="Consecutive numbers"
          options={runOptions}
          value={search.run ?? null}
          onChange={(run) => filter({ run: run ?? undefined })}
        />
        <FilterBy label="Type" labels={typeLabels} value={search.type} onChange={(type) => filter({ type })} />
      </FilterBar>
      <Selected cart={cart} onClear={() => onSelect(new Map())} onSetUp={onSetUp} />
      {isFiltered ? <Results cart={cart} onSelect={onSelect} /> : <AreaCodes onChoose={find} />}
    </>
  )
}

/** The selected numbers and their cost. */
function Selected({ cart, onClear, onSetUp }: { cart: Cart; onClear(): void; onSetUp(): void }) {
  const max = numberOrders.orderedNumbers_max
  const tooMany = cart.size > max ? `An order has at most ${max.toLocaleString('en-US')} numbers.` : null
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
          <Button
            kind="primary"
            size="small"
            disabledReason={cart.size === 0 ? 'Select numbers first.' : tooMany}
            onPress={onSetUp}
          >
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
  <Figures busy={false} figures={[['Numbers', <Count key="count" of={cart.size} />], ...costFigures(costsOf(cart))]} />
)

function Results({ cart, onSelect }: SelectionProps) {
  const { search, page, paging } = usePageSearch('/numbers/get')
  const numbers = useList('listAvailableNumbers', { query: { ...page, ...filtersOf(search) } })
  const count = numbers.data?.meta.total_count
  return (
    <PagedList query={numbers} {...paging} empty={<NoneForSale />}>
      {(rows, busy) => (
        <Stack gap="narrow">
          <Soft as="p">
            {count?.toLocaleString('en-US')} {count === 1 ? 'number matches' : 'numbers match'}
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

const NoneForSale = () => (
  <EmptyState title="No matching numbers are for sale">
    Places are abbreviated rate centers, such as Seattle or Bellevue, WA. Try an area code, or remove a filter.
  </EmptyState>
)

const columns: Column<AvailableNumber>[] = [
  { title: 'Number', head: true, cell: ({ attributes: { value } }) => <PhoneNumber value={value} /> },
  { title: 'Place', cell: ({ attributes }) => placeText(attributes) },
  ...costColumns,
]

/** Where numbers are for sale, before a search. */
function AreaCodes({ onChoose }: { onChoose(place: string): void }) {
  const codes = useRead('listAvailableAreaCodes', { query: { limit: 400 } })
  return (
    <Card title="Numbers for sale by area code">
      <Loaded query={codes} skeleton={<Skeleton rows={2} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No numbers are for sale">
              Numbers appear here when the operator adds them. You can port numbers from another carrier.
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
