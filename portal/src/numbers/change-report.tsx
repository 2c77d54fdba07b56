import { Download } from 'lucide-react'
import { saveFile } from '../files.ts'
import { Button, type Column, type Meaning, PhoneNumber, Row, Soft, Stack, Status, Table } from '../ui/index.ts'
import { type ChangeResult, linesOf, type NamesOf, reasonsOf, type ReportedResult } from './changes.ts'
import { useNames } from './names.ts'
import { reportOf } from './table-file.ts'

const words = {
  future: { changed: 'Will change', unchanged: 'No change', refused: 'Refused' },
  past: { changed: 'Changed', unchanged: 'No change needed', refused: 'Refused' },
} as const

const meanings = { changed: 'done', unchanged: 'quiet', refused: 'refused' } as const satisfies Record<
  ChangeResult['outcome'],
  Meaning
>

/** Rendering more rows would take seconds. */
const shown_max = 200

interface ChangeReportProps {
  results: readonly ReportedResult[]
  total: number
  tense: Tense
}

/** The planned or actual result for each number, refusals first. */
export function ChangeReport({ results, total, tense }: ChangeReportProps) {
  const nameOf = useNames()
  const count = (outcome: ChangeResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const byLine = results.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const sorted = outcomes.flatMap((outcome) => byLine.filter((each) => each.outcome === outcome))
  return (
    <Stack gap="narrow">
      <Row>
        {outcomes
          .filter((outcome) => count(outcome) > 0)
          .map((outcome) => (
            <Status key={outcome} meaning={meanings[outcome]}>
              {words[tense][outcome]}: {count(outcome).toLocaleString('en-US')}
            </Status>
          ))}
        {results.length < total ? (
          <progress value={results.length} max={total} aria-label={`${results.length} of ${total}`} />
        ) : (
          <Button size="small" onPress={() => saveFile(report_name, 'text/csv', reportOf(byLine, nameOf))}>
            <Download aria-hidden="true" />
            Download the report
          </Button>
        )}
      </Row>
      <Table
        label="Results by number"
        columns={columnsOf(
          results.some(({ line }) => line !== undefined),
          tense,
          nameOf,
        )}
        rows={sorted.slice(0, shown_max)}
        keyOf={({ line, value }) => `${line ?? ''} ${value}`}
      />
      {sorted.length > shown_max && (
        <Soft as="p">
          And {(sorted.length - shown_max).toLocaleString('en-US')} more. Refused numbers are listed first.
        </Soft>
      )}
    </Stack>
  )
}

type Tense = keyof typeof words

const outcomes = ['refused', 'changed', 'unchanged'] as const
const report_name = 'numbers-report.csv'

const columnsOf = (from_file: boolean, tense: Tense, nameOf: NamesOf): Column<ReportedResult>[] => [
  {
    title: 'Number',
    head: true,
    cell: ({ value }) => (/^1\d{10}$/.test(value) ? <PhoneNumber value={value} /> : <code>{value}</code>),
  },
  ...(from_file ? [{ title: 'Line', cell: ({ line }: ReportedResult) => line }] : []),
  {
    title: 'Outcome',
    cell: ({ outcome }) => (
      <Status meaning={tense === 'future' && outcome === 'changed' ? 'moving' : meanings[outcome]}>
        {words[tense][outcome]}
      </Status>
    ),
  },
  {
    title: 'Details',
    cell: (result) => (
      <ul>
        {[...reasonsOf(result), ...linesOf(result, nameOf)].map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    ),
  },
]
