import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { Button, Card, type Column, Count, Table } from '../ui/index.ts'
import { Counties } from './counties.tsx'
import type { StateCoverage } from './words.ts'

/** Coverage by state, with the counties of the expanded state. */
export function States({ rows }: { rows: readonly StateCoverage[] }) {
  const { counties_of: open } = useSearch({ from: '/signed-in/operator/street-data' })
  const navigate = useNavigate()
  if (rows.length === 0) return null
  const toggle = (state: string) =>
    void navigate({
      to: '/operator/street-data',
      search: (before) => ({
        ...before,
        counties_of: state === open ? undefined : state,
        county_offset: undefined,
      }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Card title="Coverage by state, most streets first" flush>
      <Table
        label="Coverage by state"
        columns={stateColumns(open, toggle)}
        rows={rows.toSorted((a, b) => b.streets - a.streets)}
        keyOf={({ country, state }) => `${country}-${state}`}
        below={({ country, state }) => (country === 'US' && state === open ? <Counties state={state} /> : null)}
      />
    </Card>
  )
}

function stateColumns(open: string | undefined, toggle: (state: string) => void): Column<StateCoverage>[] {
  return [
    {
      title: 'State',
      head: true,
      cell: ({ country, state }) =>
        country === 'US' ? (
          <StateButton state={state} isOpen={state === open} onPress={() => toggle(state)} />
        ) : (
          `${state}, ${country}`
        ),
    },
    { title: 'Datasets', align: 'end', cell: ({ datasets }) => <Count of={datasets} /> },
    { title: 'Places', align: 'end', cell: ({ places }) => <Count of={places} /> },
    { title: 'Streets', align: 'end', cell: ({ streets }) => <Count of={streets} /> },
  ]
}

const StateButton = ({ state, isOpen, onPress }: { state: string; isOpen: boolean; onPress(): void }) => (
  <Button size="small" aria-expanded={isOpen} aria-label={`Counties of ${state}`} onPress={onPress}>
    {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
    {state}
  </Button>
)
