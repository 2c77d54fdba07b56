import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange, useRead } from '../api.ts'
import { Button, Form, Problem, Stack, TextField } from '../ui/index.ts'
import { FindingText } from './details-form.tsx'
import { fieldLabel, isDetail } from './fields.ts'
import css from './form.module.css'
import { Loa } from './loa.tsx'
import { checkOf, fieldOfFinding, type Finding } from './queries.ts'
import type { NewOrderStep } from '../search.ts'
import { StepPanel } from './steps.tsx'
import type { PortOrder } from './words.ts'

/** The LOA with a live preview, so the customer signs exactly what is shown. */
export function LoaStep({ order, go }: { order: PortOrder; go(step: NewOrderStep): void }) {
  const [name, setName] = useState('')
  const [title, setTitle] = useState('')
  const loa = useRead('getLoa', { params: { portorder_id: order.id } })
  const check = useQuery(checkOf(order.id))
  const sign = useChange('submitLoa', () => go('done'))
  const errors = (check.data?.data.attributes.findings ?? []).filter(({ severity }) => severity === 'error')
  const send = () => {
    if (loa.data === undefined) return
    const { attributes, ...rest } = loa.data.data
    const signed = { ...attributes, signature_name: name, signature_title: title }
    sign.mutate({ params: { portorder_id: order.id }, body: { data: { ...rest, attributes: signed } } })
  }
  return (
    <StepPanel
      title="Read and sign the LOA"
      words="By signing, you authorize us to port these numbers and submit the order. Nothing has been sent to the carrier so far."
      wide
    >
      <Open findings={errors} go={go} />
      <div className={css.signing}>
        <Loa id={order.id} name={name} title={title} />
        <SigningForm
          name={name}
          title={title}
          onName={setName}
          onTitle={setTitle}
          error={sign.error}
          isPending={sign.isPending}
          disabledReason={
            loa.data === undefined
              ? 'The letter is being loaded.'
              : errors.length > 0
                ? 'Fix the errors above first.'
                : null
          }
          onSign={send}
        />
      </div>
    </StepPanel>
  )
}

interface SigningFormProps {
  name: string
  title: string
  onName(name: string): void
  onTitle(title: string): void
  error: Error | null
  isPending: boolean
  disabledReason: string | null
  onSign(): void
}

function SigningForm({ name, title, onName, onTitle, error, isPending, disabledReason, onSign }: SigningFormProps) {
  const readOnly = useReadOnlyReason()
  const reason =
    readOnly ?? disabledReason ?? (name.trim() === '' || title.trim() === '' ? 'Enter your name and title.' : null)
  const [nameError, titleError] = [fieldError(error, 'signature_name'), fieldError(error, 'signature_title')]
  return (
    <Form className={css.signature} disabledReason={reason} onSend={onSign}>
      <TextField
        label="Your name"
        hint="This is your legal signature."
        value={name}
        onChange={onName}
        autoComplete="name"
        error={nameError}
      />
      <TextField
        label="Your title"
        hint="Such as owner or office manager."
        value={title}
        onChange={onTitle}
        autoComplete="organization-title"
        error={titleError}
      />
      {error && nameError === null && titleError === null && <Problem refusal={refusalOf(error)} />}
      <div>
        <Button type="submit" kind="primary" isPending={isPending} disabledReason={reason}>
          Sign and submit
        </Button>
      </div>
    </Form>
  )
}

/** Errors that prevent signing, with links to their steps. */
function Open({ findings, go }: { findings: readonly Finding[]; go(step: NewOrderStep): void }) {
  if (findings.length === 0) return null
  return (
    <Stack as="ul" gap="narrow" aria-label="Fix before signing">
      {findings.map((finding) => (
        <li key={finding.message} className={css.splitOrder}>
          <strong>{fieldLabel(fieldOfFinding(finding))}</strong>
          <FindingText finding={finding} />
          <div>
            <Button size="small" onPress={() => go(stepOf(fieldOfFinding(finding)))}>
              Fix it
            </Button>
          </div>
        </li>
      ))}
    </Stack>
  )
}

const stepOf = (field: string): NewOrderStep =>
  field === 'numbers' ? 'numbers' : isDetail(field) ? 'carrier' : 'documents'
