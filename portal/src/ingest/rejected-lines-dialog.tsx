import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { request } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { saveFile } from '../files.ts'
import { Button, Dialog, Skeleton, Soft, Stack } from '../ui/index.ts'
import css from './ingest.module.css'

interface RejectedLine {
  line: number
  messages: Record<string, string[]>
  text: string | null
}

/** Lines in the dialog; the file has all of them. */
const shown_max = 100

/** A delivery's rejected lines with the reasons, and a download of all of them. */
export function RejectedLinesDialog({ id, onClose }: { id: string; onClose(): void }) {
  const lines = useQuery({
    queryKey: ['refusedLines', id],
    queryFn: async ({ signal }) => {
      const body = await request('getRefusedCdrs', { params: { ingest_id: id } }, signal)
      return await body.text()
    },
    staleTime: Infinity,
  })
  const { data } = lines
  const save = () => saveFile(`demarc-refused-${id}.ndjson`, 'application/x-ndjson', data ?? '')
  return (
    <Dialog
      title={`Rejected lines of delivery ${id}`}
      isOpen
      onClose={onClose}
      wide
      verbs={
        <Button
          kind="primary"
          disabledReason={data === undefined ? 'There are no lines to download yet.' : null}
          onPress={save}
        >
          <Download aria-hidden="true" />
          Download
        </Button>
      }
    >
      <Loaded query={lines} skeleton={<Skeleton rows={4} tall />}>
        {(text) => <Lines of={readLines(text)} />}
      </Loaded>
    </Dialog>
  )
}

/** The API sends one JSON object per line. */
const readLines = (text: string): RejectedLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RejectedLine)

const Lines = ({ of }: { of: readonly RejectedLine[] }) => (
  <Stack gap="narrow">
    <p>
      Correct these lines and deliver them again. The other lines are already stored. A line that is delivered twice
      counts as a duplicate and changes nothing.
    </p>
    <Stack as="ol" gap="narrow">
      {of.slice(0, shown_max).map(({ line, messages, text }) => (
        <li key={line} className={css.line}>
          <strong>Line {line.toLocaleString('en-US')}</strong>
          <ul>
            {Object.entries(messages).map(([field, texts]) => (
              <li key={field}>
                <code>{field}</code> {texts.join(' ')}
              </li>
            ))}
          </ul>
          <Soft as="div">
            {text === null ? 'This line could not be read.' : <code className={css.text}>{text}</code>}
          </Soft>
        </li>
      ))}
    </Stack>
    {of.length > shown_max && (
      <Soft as="p">
        The first {shown_max} of {of.length.toLocaleString('en-US')} are shown. Download the file to see all of them.
      </Soft>
    )}
  </Stack>
)
