import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { ChecksumError, downloadExport, NoExportFileError } from '@demarc/client/light'
import { clientWith, refusalOf, withSession } from '../api.ts'
import { useNow } from '../clock.ts'
import { saveFile } from '../files.ts'
import { Button, Bytes, Card, Copyable, Facts, Problem, type Refusal, Soft, Stack, Status, Time } from '../ui/index.ts'
import css from './call-records.module.css'
import { isMaking } from './exports-card.tsx'
import { timeLeft, type CdrExport } from './words.ts'

/** The file of an export: its progress, its expiry, and verification of the download. */
export function FileCard({ of }: { of: CdrExport }) {
  const { status, failure_reason, progress, download_url, expires_at } = of.attributes
  if (isMaking(of))
    return (
      <Card title="Preparing the file">
        <Stack gap="narrow">
          <progress className={css.progress} aria-label="Rows written" max={1} value={progress} />
          <Soft as="p">
            {Math.floor(progress * 100)}% of the rows are written. You can leave this page; the export continues.
          </Soft>
        </Stack>
      </Card>
    )
  if (status === 'failed')
    return (
      <Problem
        refusal={{
          title: 'The export failed.',
          findings: failure_reason === null ? [] : [{ field: null, message: failure_reason }],
          remedy: 'Run it again or change the filters.',
          request_id: null,
        }}
      />
    )
  if (download_url === null)
    return (
      <Card title="The file has expired">
        <p>
          It was kept until {expires_at === null ? 'its expiry date' : <Time at={expires_at} />}. Run the export again
          to get a new file; the call records are still available.
        </p>
      </Card>
    )
  return <Ready of={of} />
}

function Ready({ of: { id, attributes } }: { of: CdrExport }) {
  const { bytes, sha256, expires_at } = attributes
  const [done, setDone] = useState(0)
  const download = useMutation({ mutationFn: () => withSession(() => saved(id, setDone)) })
  const arrived = download.data
  return (
    <Card
      title="The file is ready"
      aside={
        <Button kind="primary" isPending={download.isPending} onPress={() => download.mutate()}>
          <Download aria-hidden="true" />
          Download and verify
        </Button>
      }
    >
      <Stack gap="narrow">
        <Facts
          facts={[
            ['Size', bytes === null ? '–' : <Bytes key="size" of={bytes} />],
            [
              'SHA-256',
              <span key="sha256" className={css.digest}>
                <Copyable text={sha256 ?? ''} label="the SHA-256 digest" />
              </span>,
            ],
            ['Available', expires_at === null ? 'indefinitely' : <Kept key="kept" until={expires_at} />],
          ]}
        />
        {download.isPending && (
          <progress className={css.progress} aria-label="Downloaded" max={bytes ?? 1} value={done} />
        )}
        {arrived !== undefined && !download.isPending && (
          <p role="status">
            <Status meaning="done">Verified</Status> {arrived.file_name} downloaded completely: its SHA-256 digest
            matches the one above.
          </p>
        )}
        {download.error && <Problem refusal={failureOf(download.error)} />}
      </Stack>
    </Card>
  )
}

/** Saves the file only after it has fully arrived and its digest matches. */
async function saved(export_id: string, onBytes: (bytes: number) => void) {
  const { stream, file_name } = await downloadExport(clientWith(), export_id, {
    on_progress: ({ bytes }) => onBytes(bytes),
  })
  saveFile(file_name, 'application/octet-stream', await new Response(stream).blob())
  return { file_name }
}

function failureOf(error: Error): Refusal {
  if (error instanceof ChecksumError || error instanceof NoExportFileError)
    return { title: error.message, findings: [], remedy: error.remedy, request_id: null }
  return refusalOf(error)
}

/** How much longer the file is available, and its expiry time. */
function Kept({ until }: { until: string }) {
  const left = timeLeft(until, useNow())
  return (
    <>
      {left !== null && `for ${left}, `}until <Time at={until} />
    </>
  )
}
