import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Card, Row, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

/** Sends a test event to a URL: the answer is then among the deliveries. */
export function TestSender() {
  const [url, setUrl] = useState('')
  const send = useChange('sendTestNotification')
  const disabledReason = useReadOnlyReason()
  const wrong = fieldError(send.error, 'url')
  const onSuccess = () => toast('The test event is among the deliveries.', { kind: 'done' })
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
            label="URL of your receiver"
            type="url"
            placeholder="https://example.com/hooks/demarc"
            hint="It gets an event of type notification.tested, signed and tried again like every other."
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
              Send it
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  )
}
