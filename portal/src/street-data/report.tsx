import type { ReactNode } from 'react'
import { Card, Columns, Count, Facts, Soft, Stack, Status } from '../ui/index.ts'
import { Places } from './places.tsx'
import { percentText, statusWords, titleOf, type Dataset } from './words.ts'

type DatasetReport = NonNullable<Dataset['attributes']['report']>
type Finding = DatasetReport['dropped'][number]
type Fact = readonly [name: string, value: ReactNode]

/** A dataset's import report: rows read and skipped, warnings, and places. */
export function Report({ of }: { of: Dataset }) {
  const { status, rows_read, rows_skipped, skipped, streets, ranges, report } = of.attributes
  const read: Fact[] = [
    ['Rows read', <Count key="read" of={rows_read} />],
    ['Rows skipped', <Skipped key="skipped" of={skipped} rows={rows_skipped} read={rows_read} />],
    ['Streets', <Count key="streets" of={streets} />],
    ['Numbers or ranges', <Count key="ranges" of={ranges} />],
  ]
  return (
    <Stack gap="narrow">
      <Columns>
        <Card title={`Report of ${titleOf(of)}`} aside={<Held of={report} />}>
          <Facts facts={read} />
        </Card>
        <Card title="Data quality">
          {report === null ? (
            <Soft as="p">
              {status === 'loading'
                ? 'The report is available when loading finishes.'
                : 'No report. Load the dataset again.'}
            </Soft>
          ) : (
            <Facts facts={qualityOf(report)} />
          )}
        </Card>
      </Columns>
      {report !== null && report.dropped.length > 0 && <Findings title="Not loaded" of={report.dropped} />}
      {report !== null && report.contradictions.length > 0 && (
        <Findings title="Contradicts the postal data" of={report.contradictions} />
      )}
      {status !== 'loading' && status !== 'failed' && <Places dataset={of} />}
    </Stack>
  )
}

const partNames: Readonly<Record<Finding['part'], string>> = { row: 'Rows', side: 'Sides of streets', value: 'Values' }

/** What was found in the file, with an example of each. */
function Findings({ title, of }: { title: string; of: readonly Finding[] }) {
  return (
    <Card title={title}>
      <Facts
        facts={of.map(({ part, reason, count, examples }) => [
          `${partNames[part]}: ${reason}`,
          <span key={`${part} ${reason}`}>
            <Count of={count} />
            {examples.map((example) => (
              <Soft key={example} below>
                {example}
              </Soft>
            ))}
          </span>,
        ])}
      />
    </Card>
  )
}

function Held({ of }: { of: DatasetReport | null }) {
  if (of === null) return null
  return of.held.length === 0 ? (
    <Status meaning="done">No warnings</Status>
  ) : (
    <Status meaning={statusWords.held.meaning}>Needs review</Status>
  )
}

function Skipped({ of, rows, read }: { of: Readonly<Record<string, number>>; rows: number; read: number }) {
  if (rows === 0) return 'None'
  return (
    <>
      <Count of={rows} />, {percentText(rows / Math.max(1, read))}
      <Stack as="ul" gap="tight">
        {Object.entries(of)
          .toSorted(([, a], [, b]) => b - a)
          .map(([reason, count]) => (
            <li key={reason}>
              <Soft>
                {count.toLocaleString('en-US')}: {reason}
              </Soft>
            </li>
          ))}
      </Stack>
    </>
  )
}

/** The parts of a report that matter for activation. */
function qualityOf({
  held,
  without,
  parity,
  columns,
  suffixes,
  places,
  compared_with,
  overlap,
}: DatasetReport): Fact[] {
  const facts: Fact[] = [
    ['Places', `${places.covered} covered, ${places.partial} partial, ${places.thin} thin`],
    ['Streets without suffix', percentText(without.suffix)],
    ['Without postal code', percentText(without.postal_code)],
  ]
  if (held.length > 0) facts.unshift(['Needs review', held.join(' ')])
  if (overlap !== null && overlap.lost > 0)
    facts.push([
      'Overridden by authoritative data',
      `${overlap.lost} of ${overlap.numbers} numbers of ${overlap.datasets.join(', ')}: ${overlap.examples.join('; ')}`,
    ])
  if (parity !== null && parity.contradicted > 0)
    facts.push(['Ranges on the wrong side (odd/even)', parity.contradicted.toLocaleString('en-US')])
  if (columns.not_read.length > 0) facts.push(['Unused columns', columns.not_read.join(', ')])
  const [suffix] = suffixes
  if (suffix !== undefined)
    facts.push(['Inferred suffixes', suffixes.map(({ written, taken_for }) => `${written} → ${taken_for}`).join(', ')])
  if (compared_with !== null) {
    const { vintage, streets, places: towns } = compared_with
    facts.push([
      `Compared with ${vintage}`,
      `${streets.gained} streets gained, ${streets.lost} of ${streets.before} lost; ${towns.lost} places lost`,
    ])
  }
  return facts
}
