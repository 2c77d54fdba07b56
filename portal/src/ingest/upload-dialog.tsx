import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { clientWith, withSession, type Body, useRead } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Count, Facts, FileDrop, ResultDialog, Select } from '../ui/index.ts'
import { fetchWithProgress } from '../files.ts'
import css from './ingest.module.css'

type Report = Body<'ingestCdrs'>['data']

const formats = [
  { value: 'own', label: 'Demarc call records', hint: 'Fields as listed in the ingest documentation' },
  { value: 'freeswitch-json', label: 'FreeSWITCH, JSON' },
  { value: 'freeswitch-csv', label: 'FreeSWITCH, CSV' },
  { value: 'asterisk-csv', label: 'Asterisk, CSV' },
]

const encodings: Readonly<Record<string, string>> = { gz: 'gzip', zst: 'zstd' }

/** The file's format, from its name: `calls.csv.gz`. */
function readingOf(name: string): { content_type: string; content_encoding?: string } {
  const [, packed] = /\.(gz|zst)$/i.exec(name) ?? []
  const content_encoding = packed === undefined ? undefined : encodings[packed.toLowerCase()]
  return {
    content_type: /\.csv(\.\w+)?$/i.test(name) ? 'text/csv' : 'application/x-ndjson',
    ...(content_encoding !== undefined && { content_encoding }),
  }
}

/** Uploads a file of call records. */
export function UploadDialog({ onClose }: { onClose(): void }) {
  const cache = useQueryClient()
  const accounts = useRead('listAccounts', { query: { limit: 200 } })
  const [file, setFile] = useState<File | null>(null)
  const [mapping, setMapping] = useState('own')
  const [account_id, setAccount] = useState<string | null>(null)
  const [sent, setSent] = useState(0)
  const deliver = useMutation({
    mutationFn: async (body: File) => {
      const query = { ...(mapping !== 'own' && { mapping }), ...(account_id !== null && { account_id }) }
      const client = clientWith({ fetch: fetchWithProgress(setSent) })
      return await withSession(() => client.ingestCdrs({ query, body, ...readingOf(body.name) }))
    },
    onSettled: () => cache.invalidateQueries(),
  })
  if (deliver.data !== undefined) return <Delivered report={deliver.data.body.data} onClose={onClose} />
  const missing = mapping !== 'own' && account_id === null ? 'Choose the account. Switch records don’t name it.' : null
  return (
    <FormDialog
      title="Deliver a file of call records"
      verb="Deliver"
      {...deliver}
      disabledReason={file === null ? 'Choose a file first.' : missing}
      onSend={() => file !== null && deliver.mutate(file)}
      onClose={onClose}
    >
      <FileDrop
        label={file?.name ?? 'Drop a file here'}
        hint="NDJSON or CSV; plain, .gz, or .zst. Records that are already stored are counted as duplicates."
        onFiles={([first]) => setFile(first ?? null)}
      />
      <Select label="Contents" options={formats} value={mapping} onChange={setMapping} />
      <Select
        label="Account"
        hint="For records that don’t name one"
        placeholder="Named in each record"
        options={(accounts.data?.data ?? []).map(({ id, attributes: { name } }) => ({ value: id, label: name }))}
        value={account_id}
        onChange={setAccount}
      />
      {deliver.isPending && file !== null && (
        <progress className={css.progress} aria-label="Sent" value={Math.min(sent, file.size)} max={file.size} />
      )}
    </FormDialog>
  )
}

interface DeliveredProps {
  report: Report
  onClose(): void
}

function Delivered({ report: { accepted, duplicates, rejected, errors }, onClose }: DeliveredProps) {
  const [first] = errors
  return (
    <ResultDialog title="File delivered" onClose={onClose}>
      <Facts
        facts={[
          ['Accepted', <Count key="accepted" of={accepted} />],
          ['Duplicates', <Count key="duplicates" of={duplicates} />],
          ['Rejected', <Count key="rejected" of={rejected} />],
        ]}
      />
      {first !== undefined && (
        <p>
          Line {first.line}:{' '}
          {Object.entries(first.messages)
            .map(([field, texts]) => `${field} ${texts.join(' ')}`)
            .join('; ')}{' '}
          Open the delivery in the list to see every rejected line with its reason.
        </p>
      )}
    </ResultDialog>
  )
}
