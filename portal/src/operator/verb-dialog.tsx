import { useState } from 'react'
import type { RequiredInput } from '@demarc/client/rules'
import { fieldError, refusalOf, useRead } from '../api.ts'
import { useToday } from '../clock.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { statusText } from '../port-orders/words.ts'
import { Problem, Soft, TextField, toast } from '../ui/index.ts'
import { findReasons } from './catalog.ts'
import { suggestedDay } from './foc-days.ts'
import { FocField } from './foc-field.tsx'
import { ReasonField } from './reason-field.tsx'
import { type Refused, type TransitionInput, useTransitions } from './use-transitions.ts'
import type { VerbWords } from './keys.ts'
import { type OperatorOrder, operatorTitle, transitionsOf } from './verbs.ts'

interface VerbDialogProps {
  words: VerbWords
  orders: readonly OperatorOrder[]
  onClose(): void
  /** All orders are done. */
  onDone(): void
}

/** The form of a transition; Enter submits. */
export function VerbDialog(props: VerbDialogProps) {
  const { orders, words } = props
  const able = orders.filter((order) => transitionsOf(words.verb, order).length > 0)
  const [first] = able
  const order = useRead('getPortOrder', { params: { portorder_id: first?.id ?? '' } }, { enabled: first !== undefined })
  // the suggested date must not change during input
  if (first === undefined || (order.data === undefined && order.isLoading)) return null
  const attributes = order.data?.data.attributes
  return (
    <TransitionForm
      {...props}
      able={able}
      asked={able.length === 1 ? (attributes?.desired_completion_date ?? null) : null}
      country={attributes?.billing_address.country === 'CA' ? 'CA' : 'US'}
    />
  )
}

interface TransitionFormProps extends VerbDialogProps {
  able: readonly OperatorOrder[]
  asked: string | null
  country: 'US' | 'CA'
}

function TransitionForm({ words, orders, able, asked, country, onClose, onDone }: TransitionFormProps) {
  const { send, isPending, done, refused } = useTransitions(words.verb)
  const needs = new Set(able.flatMap((order) => transitionsOf(words.verb, order)).flatMap((each) => each.needs ?? []))
  const form = useForm(needs, suggestedDay(asked, useToday(), { country }))
  const left = able.filter(({ id }) => !done.has(id))
  const submit = () => {
    send(
      { orders: left, input: form.input },
      {
        onSuccess: ({ refused, warnings }) => {
          for (const warning of warnings) toast(warning)
          if (refused.length > 0) return
          toast(`${words.label}: ${ordersText(able)}.`, { kind: 'done' })
          onDone()
        },
      },
    )
  }
  return (
    <FormDialog
      title={`${words.label} ${ordersText(able)}`}
      verb={words.verb === 'cancel' ? (able.length === 1 ? 'Cancel the order' : 'Cancel the orders') : words.label}
      danger={words.verb === 'cancel'}
      autoFocus={needs.size === 0}
      isPending={isPending}
      disabledReason={form.disabledReason}
      error={null}
      onSend={submit}
      onClose={onClose}
    >
      <Consequence words={words} orders={orders} able={able} />
      <Fields form={form} needs={needs} country={country} error={refused[0]?.error} />
      <Refusals refused={refused} />
    </FormDialog>
  )
}

/** A single order's name, or the count. */
const ordersText = (orders: readonly OperatorOrder[]) =>
  orders.length === 1 ? orders.map(operatorTitle).join('') : `${orders.length} orders`

interface FieldsProps {
  form: ReturnType<typeof useForm>
  needs: ReadonlySet<RequiredInput>
  country: 'US' | 'CA'
  error: unknown
}

/** The transition's required fields, and a comment for the customer. */
function Fields({ form, needs, country, error }: FieldsProps) {
  return (
    <>
      {needs.has('completion_date') && (
        <FocField
          value={form.date}
          onChange={form.setDate}
          calendar={{ country }}
          error={fieldError(error, 'completion_date')}
        />
      )}
      {needs.has('reason_code') && (
        <>
          <ReasonField {...form.reasons} error={fieldError(error, 'reason_code')} />
          <TextField label="What the carrier said (optional)" value={form.reason} onChange={form.setReason} />
        </>
      )}
      <TextField
        label="Comment for the customer (optional)"
        value={form.comment}
        onChange={form.setComment}
        error={fieldError(error, 'comment')}
      />
    </>
  )
}

/** Form state, and why it cannot be submitted yet. */
function useForm(needs: ReadonlySet<RequiredInput>, suggested: string) {
  const [date, setDate] = useState(suggested)
  const [text, setText] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const [comment, setComment] = useState('')
  const found = findReasons(text)
  const chosen = found.find((each) => each.code === code) ?? (text.trim() === '' ? null : (found[0] ?? null))
  const reason_code = chosen?.code ?? text.trim()
  const input: TransitionInput = {
    ...(needs.has('completion_date') && { completion_date: date }),
    ...(needs.has('reason_code') && { reason_code }),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
  }
  const disabledReason =
    needs.has('reason_code') && reason_code === ''
      ? 'Choose a reason first.'
      : needs.has('completion_date') && !/^\d{4}-\d\d-\d\d$/.test(date)
        ? 'Enter a date such as 2026-11-30.'
        : null
  const reasons = { text, onText: setText, found, chosen, onChoose: setCode }
  return { date, setDate, reason, setReason, comment, setComment, reasons, input, disabledReason }
}

interface ConsequenceProps {
  words: VerbWords
  orders: readonly OperatorOrder[]
  able: readonly OperatorOrder[]
}

/** The effect on the orders, and which of them don't change. */
function Consequence({ words, orders, able }: ConsequenceProps) {
  const follows = [...new Set(able.flatMap((order) => transitionsOf(words.verb, order)))]
  const texts = new Set(follows.map(({ to, description }) => `${statusText(to)}: ${description}`))
  return (
    <>
      {[...texts].map((text) => (
        <Soft key={text} as="p">
          {text}
        </Soft>
      ))}
      {orders.length > able.length && (
        <p>
          {orders.length - able.length} of the {orders.length} selected orders won’t change, because their status
          doesn’t allow it.
        </p>
      )}
    </>
  )
}

function Refusals({ refused }: { refused: readonly Refused[] }) {
  return refused.map(({ order, error }) => (
    <div key={order.id}>
      <h3>{operatorTitle(order)}</h3>
      <Problem refusal={refusalOf(error)} />
    </div>
  ))
}
