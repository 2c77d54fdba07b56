import { Code } from 'lucide-react'
import { useState } from 'react'
import { endpointNamed } from '@demarc/client/light'
import { IconButton } from '../ui/button.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { shellQuoted } from './shell-quoted.ts'
import css from './shell.module.css'

interface ApiCallInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
}

/** What this page does as a request with curl, and with the command line. */
export function ShowAsApiCall({
  operation,
  input = {},
  command,
}: {
  operation: Parameters<typeof endpointNamed>[0]
  input?: ApiCallInput
  /** The same with the command line: `demarc numbers list`. */
  command: string
}) {
  const [open, setOpen] = useState(false)
  const curl = curlOf(operation, input)
  return (
    <>
      <IconButton name="Show as API call" icon={<Code />} onPress={() => setOpen(true)} />
      <Dialog title="The same without this page" isOpen={open} onClose={() => setOpen(false)} wide>
        <Stack>
          <div>
            <h3>With curl</h3>
            <Copyable text={curl} label="the curl command">
              <pre className={css.call}>{curl}</pre>
            </Copyable>
          </div>
          <div>
            <h3>With the command line</h3>
            <Copyable text={command} label="the command">
              <pre className={css.call}>{command}</pre>
            </Copyable>
          </div>
          <Soft as="p">
            Both need an access key of the account. <a href="/docs">The API documentation</a> has every operation.
          </Soft>
        </Stack>
      </Dialog>
    </>
  )
}

function curlOf(
  operation: Parameters<typeof endpointNamed>[0],
  { params = {}, query = {}, body }: ApiCallInput,
): string {
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
