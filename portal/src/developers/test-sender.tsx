import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Card, Row, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

/** Sends a test event to a URL; the result appears in the deliveries. */
export function TestSender() {
  const [url, setUrl] = useState('')
  const send = useChange('sendTestNotification')
  const disabledReason = useReadOnlyReason()
  const wrong = fieldError(send.error, 'url')
  const onSuccess = () => toast('Test event sent. See the deliveries below.', { kind: 'done' })
  return (
    <Card title="Send a test event">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate({ body: { url } }, { onSuccess })
        }}
      >
        <Stack gap="narrow">
          <TextField
            label="Your endpoint’s URL"
            type="url"
            placeholder="https://example.com/hooks/demarc"
            hint="It receives a notification.tested event, signed and retried like any other."
            value={url}
            onChange={setUrl}
            error={wrong}
          />
          {send.error !== null && wrong === null && <Problem refusal={refusalOf(send.error)} />}
          <Row>
            <Button
              type="submit"
              isPending={send.isPending}
              disabledReason={disabledReason ?? (url === '' ? 'Enter the URL first.' : null)}
            >
              {' '}
              Send
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  )
}
