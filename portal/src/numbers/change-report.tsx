import { Row, Stack } from '../ui/panels.tsx'
import { Status, type Meaning } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { PhoneNumber } from '../ui/values.tsx'
import { linesOf, reasonsOf, type ChangeResult } from './changes.ts'
import { useNames } from './names.ts'

const words = {
  future: { changed: 'Will change', unchanged: 'Stays as it is', refused: 'Refused' },
  past: { changed: 'Changed', unchanged: 'Was so already', refused: 'Refused' },
} as const

const meanings = { changed: 'done', unchanged: 'quiet', refused: 'refused' } as const satisfies Record<
  ChangeResult['outcome'],
  Meaning
>

/** What becomes of each number, or became of it: the refused first, because they need somebody. */
export function ChangeReport({
  results,
  total,
  tense,
}: {
  results: readonly ChangeResult[]
  total: number
  tense: 'future' | 'past'
}) {
  const nameOf = useNames()
  const count = (outcome: ChangeResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const order = ['refused', 'changed', 'unchanged'] as const
  const sorted = order.flatMap((outcome) => results.filter((each) => each.outcome === outcome))
  const columns: Column<ChangeResult>[] = [
    { id: 'number', title: 'Number', head: true, cell: ({ value }) => <PhoneNumber value={value} /> },
    {
      id: 'outcome',
      title: 'Outcome',
      cell: ({ outcome }) => (
        <Status meaning={tense === 'future' && outcome === 'changed' ? 'moving' : meanings[outcome]}>
          {words[tense][outcome]}
        </Status>
      ),
    },
    {
      id: 'what',
      title: 'Why, or what',
      cell: (result) => (
        <ul>
          {[...reasonsOf(result), ...linesOf(result, nameOf)].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ),
    },
  ]
  return (
    <Stack gap="narrow">
      <Row>
        {order
          .filter((outcome) => count(outcome) > 0)
          .map((outcome) => (
            <Status key={outcome} meaning={meanings[outcome]}>
              {words[tense][outcome]}: {count(outcome)}
            </Status>
          ))}
        {results.length < total && (
          <progress value={results.length} max={total} aria-label={`${results.length} of ${total}`} />
        )}
      </Row>
      <Table label="Numbers and what becomes of them" columns={columns} rows={sorted} keyOf={({ value }) => value} />
    </Stack>
  )
}
