import { Code } from 'lucide-react'
import { useState } from 'react'
import { endpointNamed } from '@demarc/client/light'
import { Copyable, Dialog, IconButton, Link, Soft, Stack } from '../ui/index.ts'
import { shellQuoted } from '../ui/text.ts'
import css from './shell.module.css'

type OperationName = Parameters<typeof endpointNamed>[0]

interface ApiCallInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
}

interface ShowAsApiCallProps {
  operation: OperationName
  input?: ApiCallInput
  /** The command: `demarc numbers list`. Operations that require a session have none. */
  command?: string | undefined
}

/** The page's operation as a curl request and as a command. */
export function ShowAsApiCall({ operation, input = {}, command }: ShowAsApiCallProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton name="Show as API call" icon={<Code />} onPress={() => setOpen(true)} />
      <Dialog title="Show as API call" isOpen={open} onClose={() => setOpen(false)} wide>
        <Stack>
          {endpointNamed(operation).traits.has('session') ? (
            <ForPeople operation={operation} />
          ) : (
            <>
              <Call title="With curl" text={curlOf(operation, input)} label="the curl command" />
              {command !== undefined && <Call title="With the command line" text={command} label="the command" />}
            </>
          )}
          <Soft as="p">
            {keyText(operation)}
            <Link to="/developers/reference/$operation" params={{ operation }} onClick={() => setOpen(false)}>
              {operation} in the API reference
            </Link>{' '}
            describes its parameters, fields, and errors.
          </Soft>
        </Stack>
      </Dialog>
    </>
  )
}

/** Which key the operation needs, if keys may use it. */
function keyText(operation: OperationName): string {
  const { path, traits } = endpointNamed(operation)
  if (traits.has('session')) return ''
  return path.startsWith('/operator/') ? 'Requires an operator access key. ' : 'Requires an account access key. '
}

/** An operation that refuses access keys, so no command is shown. */
function ForPeople({ operation }: { operation: OperationName }) {
  const { method, path } = endpointNamed(operation)
  return (
    <>
      <Call title="This page’s request" text={`${method} ${path}`} label="the request" />
      <p>This operation requires a browser session and refuses access keys, so there is no command for it.</p>
    </>
  )
}

function curlOf(operation: OperationName, { params = {}, query = {}, body }: ApiCallInput): string {
  const { method, path } = endpointNamed(operation)
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    location.origin,
  )
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return [
    'curl -u "$DEMARC_ACCESS_KEY:$DEMARC_SECRET_KEY"',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(JSON.stringify(body))}`]),
    shellQuoted(url.href),
  ].join(' \\\n  ')
}

/** A command with an option for each value that is set. */
export const commandWith = (command: string, values: object): string =>
  [
    command,
    ...Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => `--${name.replaceAll('_', '-')} ${shellQuoted(String(value))}`),
  ].join(' ')

/** A request or command to copy. */
export const Call = ({ title, text, label }: { title: string; text: string; label: string }) => (
  <div>
    <h3>{title}</h3>
    <Copyable text={text} label={label} block>
      <pre className={css.call}>{text}</pre>
    </Copyable>
  </div>
)
