import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { Button, Card, Form, Problem, Row, Stack, TextField, toast } from '../ui/index.ts'

/** Sends a test event to a URL; the result appears in the deliveries. */
export function TestSender() {
  const [url, setUrl] = useState('')
  const send = useChange('sendTestNotification', () =>
    toast('Test event sent. See the deliveries below.', { kind: 'done' }),
  )
  const disabledReason = useReadOnlyReason()
  const wrong = fieldError(send.error, 'url')
  return (
    <Card title="Send a test event">
      <Form onSend={() => send.mutate({ body: { url } })}>
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
      </Form>
    </Card>
  )
}
