import type { ApiOperation } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { sendTyped } from '../api.ts'
import { Button, Card, Copyable, Dialog, RadioGroup, Soft, Stack, TextField } from '../ui/index.ts'
import type { exampleRequest } from './examples.ts'
import css from './reference.module.css'

/** Characters of a response that are read and shown. */
const shown_max = 100_000

interface Key {
  access_key: string
  secret_key: string
}

interface Sent {
  method: string
  path: string
  media: string | null
  body: string | null
  /** Null for the session. */
  key: Key | null
}

interface Received {
  status: string
  headers: string
  body: string
  duration_ms: number
}

interface SendRequestProps {
  operation: ApiOperation
  example: ReturnType<typeof exampleRequest>
}

/** Sends the request to the service that served this page, and shows the response. */
export function SendRequest({ operation: { method, signed_in_by }, example }: SendRequestProps) {
  const [path, setPath] = useState(example.path)
  const [body, setBody] = useState(example.body)
  const by_session = signed_in_by.includes('session')
  const [use, setUse] = useState(by_session ? 'session' : 'key')
  const [key, setKey] = useState<Key>({ access_key: '', secret_key: '' })
  const [asking, setAsking] = useState(false)
  const sending = useMutation({ mutationFn: send, networkMode: 'always', gcTime: 0 })
  const with_key = use === 'key' && signed_in_by.length > 0
  const submit = () => {
    setAsking(false)
    sending.mutate({ method, path, media: example.media, body, key: with_key ? key : null })
  }
  return (
    <Card title="Send a request">
      <Stack gap="narrow">
        <TextField label={`${method} path and query`} value={path} onChange={setPath} />
        {body !== null && <TextField label={`Body (${example.media})`} rows={8} value={body} onChange={setBody} />}
        {signed_in_by.length > 1 && (
          <RadioGroup label="Send with" options={credentials} value={use} onChange={setUse} />
        )}
        {with_key && <KeyFields value={key} onChange={setKey} />}
        <div>
          <Button
            kind="primary"
            disabledReason={sending.isPending ? 'Wait for the response.' : null}
            onPress={() => (method === 'GET' ? submit() : setAsking(true))}
          >
            Send
          </Button>
        </div>
        <div role="status">
          {sending.error !== null && <p>The request could not be sent. Check your connection and the path.</p>}
          {sending.data !== undefined && <Response {...sending.data} />}
        </div>
      </Stack>
      <ConfirmDialog {...{ method, path }} isOpen={asking} onClose={() => setAsking(false)} onConfirm={submit} />
    </Card>
  )
}

function KeyFields({ value, onChange }: { value: Key; onChange(key: Key): void }) {
  return (
    <>
      <TextField
        label="Access key"
        autoComplete="off"
        value={value.access_key}
        onChange={(access_key) => onChange({ ...value, access_key })}
      />
      <TextField
        label="Secret key"
        type="password"
        autoComplete="off"
        hint="The key stays on this page and is not stored."
        value={value.secret_key}
        onChange={(secret_key) => onChange({ ...value, secret_key })}
      />
    </>
  )
}

interface ConfirmDialogProps {
  method: string
  path: string
  isOpen: boolean
  onClose(): void
  onConfirm(): void
}

function ConfirmDialog({ method, path, isOpen, onClose, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog
      title="Send this request?"
      isOpen={isOpen}
      onClose={onClose}
      verbs={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" onPress={onConfirm}>
            Send it
          </Button>
        </>
      }
    >
      <p>
        <code>
          {method} {path}
        </code>{' '}
        can change data on this service.
      </p>
    </Dialog>
  )
}

const credentials = [
  { value: 'session', label: 'Your session' },
  { value: 'key', label: 'An access key' },
]

const Response = ({ status, headers, body, duration_ms }: Received) => (
  <Stack gap="narrow">
    <h3>
      {status} <Soft>in {duration_ms} ms</Soft>
    </h3>
    <pre className={css.response}>{headers}</pre>
    {body !== '' && (
      <Copyable text={body} label="the response body" block>
        <pre className={css.response}>{body}</pre>
      </Copyable>
    )}
  </Stack>
)

async function send({ method, path, media, body, key }: Sent): Promise<Received> {
  // a path that starts with two slashes would lead to another host
  const url = new URL(path, location.origin)
  if (url.origin !== location.origin) throw new Error('The path leads to another host.')
  const began = performance.now()
  const headers = {
    accept: 'application/json, application/vnd.api+json, */*;q=0.5',
    ...(media !== null && { 'content-type': media }),
  }
  const authorization = key === null ? null : `Basic ${btoa(`${key.access_key}:${key.secret_key}`)}`
  const response = await sendTyped(url, { method, headers, body }, authorization)
  const text = await textOf(response)
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: text,
    duration_ms: Math.round(performance.now() - began),
  }
}

/** The body with indented JSON; truncated if long, and only described if binary. */
async function textOf({ headers, body }: globalThis.Response): Promise<string> {
  if (body === null) return ''
  const type = headers.get('content-type') ?? ''
  if (!/json|text|xml|csv/.test(type)) {
    await body.cancel()
    return `(${type || 'binary data'})`
  }
  let text = ''
  for (const reader = body.pipeThrough(new TextDecoderStream()).getReader(); ;) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
    if (text.length <= shown_max) continue
    await reader.cancel()
    return `${text.slice(0, shown_max)}\n… (cut off)`
  }
  return /json$|json;/.test(type) && !type.includes('ndjson') && text !== ''
    ? JSON.stringify(JSON.parse(text), null, 2)
    : text
}
