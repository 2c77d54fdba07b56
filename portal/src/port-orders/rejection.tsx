import { countText } from '@demarc/client/rules'
import { CircleX } from 'lucide-react'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange } from '../api.ts'
import { Button, Form, Problem, Soft, Stack, toast } from '../ui/index.ts'
import { DetailInput } from './details-form.tsx'
import { useDetails } from './details.ts'
import { fieldLabel, fieldOf, isDetail, type DetailName } from './fields.ts'
import css from './order.module.css'
import type { PortOrder, PortOrderAttributes } from './words.ts'

type Rejection = NonNullable<PortOrderAttributes['rejection']>

const elsewhere: Readonly<Record<string, string>> = {
  numbers:
    'You can’t change the numbers of a submitted order. Cancel it and create a new order with the correct numbers.',
  business_documents: 'Add the document below, then resubmit.',
  loa: 'We need a new letter. Leave us a comment below.',
}

/** Why the order was rejected, with an inline fix and resubmission. */
export function RejectionCard({ order, rejection }: { order: PortOrder; rejection: Rejection }) {
  const { title, cause, reason, fix, field, business_days } = rejection
  const [least = 1, most = least] = business_days
  return (
    <section className={css.rejection} aria-label="Why it was rejected">
      <header className={css.rejectionHead}>
        <CircleX aria-hidden="true" />
        <h2>{title}</h2>
      </header>
      <div className={css.rejectionBody}>
        <Stack gap="narrow">
          <p>{cause}</p>
          {reason !== null && (
            <blockquote className={css.quote}>
              <p>{reason}</p>
              <Soft as="footer">{order.attributes.provider}</Soft>
            </blockquote>
          )}
          <p>
            <strong>What to do:</strong> {fix}
          </p>
          {field !== null && !isDetail(field) && <p>{elsewhere[field] ?? `Affected field: ${fieldLabel(field)}.`}</p>}
          <Soft as="p">
            Resubmitting is free. The losing carrier usually responds within{' '}
            {least === most ? countText(most, 'business day') : `${least} to ${most} business days`}.
          </Soft>
        </Stack>
        <Fix order={order} field={field !== null && isDetail(field) ? field : null} />
      </div>
    </section>
  )
}

/** Corrects the affected field and resubmits the order. */
function Fix({ order, field }: { order: PortOrder; field: DetailName | null }) {
  const details = useDetails(order)
  const resubmit = useChange('resubmitPortOrder', () => toast('Order resubmitted.', { kind: 'done' }))
  const readOnly = useReadOnlyReason()
  const changed = field !== null && details.isChanged(field, details.values[field])
  const send = async () => {
    if (field !== null && !(await details.save(field, details.values[field]))) return
    resubmit.mutate({ params: { portorder_id: order.id } })
  }
  return (
    <Form className={css.fix} disabledReason={readOnly} onSend={() => void send()}>
      {field !== null && (
        <>
          <p>
            {fieldLabel(field)} is currently: <NowValue field={field} value={details.saved[field]} />
          </p>
          <DetailInput name={field} {...details} onLeave={() => undefined} findings={[]} alone />
        </>
      )}
      {details.refusal !== null && <Problem refusal={refusalOf(details.refusal)} />}
      {resubmit.error && <Problem refusal={refusalOf(resubmit.error)} />}
      <div>
        <Button
          type="submit"
          kind={field === null || changed ? 'primary' : 'secondary'}
          isPending={details.isSaving || resubmit.isPending}
          disabledReason={readOnly}
        >
          {changed ? 'Correct and resubmit' : 'Resubmit without changes'}
        </Button>
      </div>
    </Form>
  )
}

function NowValue({ field, value }: { field: DetailName; value: string }) {
  if (value === '') return <em>nothing</em>
  return <code>{fieldOf(field).options?.find((each) => each.value === value)?.label ?? value}</code>
}
