import type { ReactNode } from 'react'
import { Card, Columns, Facts, Stack } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import { Count } from '../ui/values.tsx'
import { Places } from './places.tsx'
import css from './street-data.module.css'
import { percentText, statusWords, titleOf, type Dataset } from './words.ts'

type DatasetReport = NonNullable<Dataset['attributes']['report']>
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
      {status !== 'loading' && status !== 'failed' && <Places dataset={of} />}
    </Stack>
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
      <ul className={css.reasons}>
        {Object.entries(of)
          .toSorted(([, a], [, b]) => b - a)
          .map(([reason, count]) => (
            <li key={reason}>
              <Soft>
                {count.toLocaleString('en-US')}: {reason}
              </Soft>
            </li>
          ))}
      </ul>
    </>
  )
}

/** The parts of a report that matter for activation. */
function qualityOf({ held, without, parity, columns, suffixes, places, compared_with }: DatasetReport): Fact[] {
  const facts: Fact[] = [
    ['Places', `${places.covered} covered, ${places.partial} partial, ${places.thin} thin`],
    ['Streets without suffix', percentText(without.suffix)],
    ['Without postal code', percentText(without.postal_code)],
  ]
  if (held.length > 0) facts.unshift(['Needs review', held.join(' ')])
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
