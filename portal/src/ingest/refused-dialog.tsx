import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { request } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { saveFile } from '../shell/save-file.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Soft } from '../ui/soft.tsx'
import css from './ingest.module.css'

interface RefusedLine {
  line: number
  messages: Record<string, string[]>
  text: string | null
}

/** More are for the file. */
const shown_max = 100

/** The refused lines of a delivery with their reasons, and as a file. */
export function RefusedDialog({ id, onClose }: { id: string; onClose(): void }) {
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
      title={`Refused lines of delivery ${id}`}
      isOpen
      onClose={onClose}
      wide
      verbs={
        <Button
          kind="primary"
          disabledReason={data === undefined ? 'The lines are not here yet, or there are none.' : null}
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

/** As the API writes them: an object on each line. */
const readLines = (text: string): RefusedLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RefusedLine)

const Lines = ({ of }: { of: readonly RefusedLine[] }) => (
  <Stack gap="narrow">
    <p>
      Correct them, and deliver them again: the others are stored. A line that comes twice is counted as a duplicate,
      and changes nothing.
    </p>
    <ol className={css.lines}>
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
          <Soft as="div">{text === null ? 'It could not be read.' : <code className={css.text}>{text}</code>}</Soft>
        </li>
      ))}
    </ol>
    {of.length > shown_max && (
      <Soft as="p">
        The first {shown_max} of {of.length.toLocaleString('en-US')} are shown. The file has all.
      </Soft>
    )}
  </Stack>
)
