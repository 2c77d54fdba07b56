import { useState } from 'react'
import { useSeen, useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { Button, Card, Form, Problem, Soft, Stack, TextField, Time } from '../ui/index.ts'
import css from './order.module.css'
import type { PortOrder, PortOrderAttributes } from './words.ts'

const authors = {
  account: 'You',
  operator: 'We',
  carrier: 'The losing carrier',
} as const satisfies Record<PortOrderAttributes['comments'][number]['author'], string>

/** Comments on the order. */
export function Comments({ order }: { order: PortOrder }) {
  const [text, setText] = useState('')
  const add = useChange('addPortOrderComment', () => setText(''))
  const readOnly = useReadOnlyReason()
  const fromUs = useSeen().side === 'operator'
  const send = () => add.mutate({ params: { portorder_id: order.id }, body: { text } })
  const disabledReason = readOnly ?? (text.trim() === '' ? 'Enter a comment first.' : null)
  const { comments } = order.attributes
  return (
    <Card title="Comments">
      <Stack gap="narrow">
        {comments.length > 0 && (
          <Stack as="ul" gap="narrow">
            {comments.map(({ id, text, author, created_at, private: isPrivate }) => (
              <li key={id} className={css.comment}>
                <Soft as="p">
                  {fromUs && author === 'account' ? 'The customer' : authors[author]} · <Time at={created_at} />
                  {isPrivate && ' · private'}
                </Soft>
                <p className={css.text}>{text}</p>
              </li>
            ))}
          </Stack>
        )}
        <Form className={css.write} disabledReason={disabledReason} onSend={send}>
          <TextField
            label={fromUs ? 'Comment for the customer' : 'Add a comment'}
            rows={2}
            value={text}
            onChange={setText}
            error={fieldError(add.error, 'text')}
            hint={
              comments.length === 0 && !fromUs ? 'Ask a question or tell us something about this order.' : undefined
            }
          />
          {add.error && fieldError(add.error, 'text') === null && <Problem refusal={refusalOf(add.error)} />}
          <Button type="submit" isPending={add.isPending} disabledReason={disabledReason}>
            Send
          </Button>
        </Form>
      </Stack>
    </Card>
  )
}
