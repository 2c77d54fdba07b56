import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { editAllowed } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, q, refusalOf, useChange, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import {
  Button,
  Bytes,
  FileDrop,
  Form,
  type Meaning,
  Problem,
  Soft,
  Stack,
  Status,
  TextField,
  Time,
} from '../ui/index.ts'
import css from './documents.module.css'
import { Sending, useUploads } from './sending.tsx'
import type { PortOrder } from './words.ts'

type OrderFile = Body<'listPortOrderFiles'>['data'][number]

/** The limit per order. */
const shown_max = 200

/** Polling interval while a document is being fetched. */
const fetching_ms = 1_500

export const filesOf = (id: string) =>
  q('listPortOrderFiles', { params: { portorder_id: id }, query: { limit: shown_max } })

/** An order's documents, with upload and fetch by URL. */
export function Documents({ order }: { order: PortOrder }) {
  const readOnly = useReadOnlyReason()
  const files = useQuery({
    ...filesOf(order.id),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderway) ? fetching_ms : false),
  })
  const allowed = editAllowed('upload', order.attributes.status)
  const disabledReason = readOnly ?? (allowed.ok ? null : allowed.reason)
  const uploads = useUploads(order.id)
  return (
    <Stack gap="narrow">
      <Loaded query={files}>
        {({ data }) =>
          data.length === 0 ? (
            <Soft as="p">
              No documents yet. Add the losing carrier’s latest bill; the carrier compares the name, address, and
              account number with it.
            </Soft>
          ) : (
            <Stack as="ul" gap="narrow">
              {data.map((file) => (
                <FileLine key={file.id} file={file} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {uploads.sending.map((each) => (
        <Sending key={each.id} upload={each} onClose={() => uploads.close(each.id)} />
      ))}
      {disabledReason === null ? (
        <>
          <FileDrop
            label="Drop the bill here"
            hint="PDF, image, text, Word, or Excel, up to 20 MiB"
            multiple
            onFiles={(list) => uploads.send(list)}
          />
          <FetchByUrl id={order.id} />
        </>
      ) : (
        <Soft as="p">{disabledReason}</Soft>
      )}
    </Stack>
  )
}

const isUnderway = ({ attributes: { status } }: OrderFile) => status === 'pending' || status === 'processing'

const fileWords = {
  pending: { meaning: 'moving', text: 'Queued' },
  processing: { meaning: 'moving', text: 'Fetching' },
  complete: { meaning: 'done', text: 'Received' },
  error: { meaning: 'refused', text: 'Fetch failed' },
} as const satisfies Record<OrderFile['attributes']['status'], { meaning: Meaning; text: string }>

const sources = { pull: 'fetched', upload: 'uploaded', service: 'created by us' } as const

function FileLine({ file: { attributes } }: { file: OrderFile }) {
  const { file, status, source, bytes, download_url, failure_reason, next_attempt_at, created_at } = attributes
  const { meaning, text } = fileWords[status]
  return (
    <li className={css.file}>
      <span className={css.name}>
        {download_url === null ? (
          file
        ) : (
          <a href={download_url} download={file}>
            {file}
          </a>
        )}
        <Soft>
          {bytes !== null && (
            <>
              <Bytes of={bytes} /> ·{' '}
            </>
          )}
          {sources[source]} <Time at={created_at} date />
        </Soft>
        {failure_reason !== null && <span className={css.failed}>{failure_reason}</span>}
        {next_attempt_at !== null && (
          <Soft>
            Next attempt at <Time at={next_attempt_at} />
          </Soft>
        )}
      </span>
      {status !== 'complete' && <Status meaning={meaning}>{text}</Status>}
    </li>
  )
}

function FetchByUrl({ id }: { id: string }) {
  const [url, setUrl] = useState('')
  const fetchIt = useChange('requestPortOrderFile', () => setUrl(''))
  const send = () => fetchIt.mutate({ params: { portorder_id: id }, body: { url: url.trim() } })
  const disabledReason = url.trim() === '' ? 'Enter the document’s URL first.' : null
  const error = fieldError(fetchIt.error, 'url')
  return (
    <Form className={css.byUrl} disabledReason={disabledReason} onSend={send}>
      <TextField
        label="Or fetch it from a URL"
        placeholder="https://files.example/bill.pdf"
        type="url"
        value={url}
        onChange={setUrl}
        error={error}
      />
      <Button type="submit" isPending={fetchIt.isPending} disabledReason={disabledReason}>
        Fetch
      </Button>
      {fetchIt.error && error === null && <Problem refusal={refusalOf(fetchIt.error)} />}
    </Form>
  )
}
