import { countText, csvCell, readCsvRows } from '@demarc/client/rules'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { request, useChangeBy, type Body } from '../api.ts'
import { saveFile } from '../files.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import {
  Button,
  Count,
  Figures,
  FileDrop,
  ResultDialog,
  Row,
  Soft,
  Stack,
  Status,
  Table,
  type Column,
} from '../ui/index.ts'

type Report = Body<'loadInventory'>['data']
type Rejected = Report['errors'][number]

/** Rejected lines in the dialog; the file has all that the report has. */
const shown_max = 10

/** Loads a CSV of numbers: first a dry run with its report, then the numbers. */
export function LoadDialog({ onClose }: { onClose(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const load = useChangeBy(({ body, dry_run }: { body: File; dry_run: boolean }) =>
    request('loadInventory', { query: { dry_run }, body, content_type: 'text/csv' }),
  )
  const report = load.data?.data
  const shown = report !== undefined && file !== null && <LoadReport report={report} file={file} />
  if (report?.dry_run === false)
    return (
      <ResultDialog title="Numbers loaded" wide onClose={onClose}>
        {shown}
      </ResultDialog>
    )
  const count = report === undefined ? 0 : report.added + report.changed
  const nothing = report === undefined ? 'Choose a file first.' : 'Nothing in this file would change the inventory.'
  const check = (body: File) => {
    setFile(body)
    load.mutate({ body, dry_run: true })
  }
  return (
    <FormDialog
      title="Load numbers"
      verb={count === 0 ? 'Load' : `Load ${countText(count, 'number')}`}
      wide
      {...load}
      disabledReason={count === 0 ? nothing : null}
      onSend={() => file !== null && load.mutate({ body: file, dry_run: false })}
      onClose={onClose}
    >
      <p>
        The first line names the columns: <code>number</code>, <code>monthly_cost</code> and <code>setup_cost</code> or{' '}
        <code>price_class</code>, <code>supplier</code>, <code>rate_center</code>, <code>state</code>, and optionally{' '}
        <code>lata</code>, <code>zip</code>, <code>capabilities</code>; <code>resporg</code> for toll-free numbers.
        Numbers that are already here get the new prices and keep their status.
      </p>
      <FileDrop
        label={file?.name ?? 'Drop a CSV here'}
        hint="Demarc first checks it and shows what would change."
        accept={['text/csv', '.csv']}
        onFiles={([first]) => first !== undefined && check(first)}
      />
      {shown}
    </FormDialog>
  )
}

function LoadReport({ report, file }: { report: Report; file: File }) {
  const { dry_run, added, changed, unchanged, rejected, errors } = report
  return (
    <Stack gap="narrow">
      <Figures
        busy={false}
        figures={[
          [dry_run ? 'Will be added' : 'Added', <Count key="added" of={added} />],
          [dry_run ? 'Will change' : 'Changed', <Count key="changed" of={changed} />],
          ['No change', <Count key="unchanged" of={unchanged} />],
          ['Rejected', <Count key="rejected" of={rejected} />],
        ]}
      />
      {rejected > 0 && (
        <>
          <Row>
            <Status meaning="refused">{countText(rejected, 'line')} rejected</Status>
            <Button size="small" onPress={() => void saveRejected(file, errors)}>
              <Download aria-hidden="true" />
              {errors.length < rejected ? `Download the first ${errors.length}` : 'Download rejected lines'}
            </Button>
          </Row>
          <Table
            label="Rejected lines"
            columns={columns}
            rows={errors.slice(0, shown_max)}
            keyOf={({ line }) => String(line)}
            dense
          />
          <Soft as="p">Correct these lines and load them again. They do not affect the others.</Soft>
        </>
      )}
    </Stack>
  )
}

const messagesOf = ({ messages }: Rejected): string[] =>
  Object.entries(messages).map(([column, texts]) => `${column}: ${texts.join(' ')}`)

const columns: Column<Rejected>[] = [
  { title: 'Line', head: true, cell: ({ line }) => <Count of={line} /> },
  {
    title: 'Why it was rejected',
    cell: (rejected) => (
      <ul>
        {messagesOf(rejected).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    ),
  },
]

/** Saves the rejected lines as they are in the file, each with its line and the reasons. */
async function saveRejected(file: File, errors: readonly Rejected[]): Promise<void> {
  const byLine = new Map(errors.map((each) => [each.line, each]))
  const lines: string[][] = []
  const rows = readCsvRows([await file.text()], () => {
    throw malformed
  })
  try {
    for await (const { line, cells } of rows) {
      const rejected = byLine.get(line)
      if (lines.length === 0) lines.push([...cells, 'line', 'rejected_because'])
      else if (rejected !== undefined) lines.push([...cells, String(line), messagesOf(rejected).join(' ')])
    }
  } catch (error) {
    // the report names the line that is not CSV; there is nothing after it
    if (error !== malformed) throw error
  }
  saveFile('rejected-numbers.csv', 'text/csv', lines.map((cells) => cells.map(csvCell).join()).join('\r\n'))
}

const malformed = new Error('This file is not CSV to its end.')
