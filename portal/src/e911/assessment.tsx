import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AddressCorrectionError, type AddressCorrection } from '@demarc/client/light'
import { useEffect, useState } from 'react'
import { fieldError, refusalOf, request } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import { addressFields, bodyOf, differences, isComplete, type AddressField, type AddressForm } from './form.ts'
import css from './address.module.css'

/** After the last key, before the address is checked. */
const typing_ms = 350

/** What the service says of the address while it is typed. */
export interface Assessment {
  state: 'incomplete' | 'checking' | 'valid' | 'refused'
  error: Error | null
  /** Of the refusal, what is wrong with a field. */
  of(field: AddressField): string | null
}

/** Checks the address as it is typed, without keeping it. */
export function useAssessment(form: AddressForm): Assessment {
  const [settled, setSettled] = useState(form)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(form), typing_ms)
    return () => clearTimeout(timer)
  }, [form])
  const enabled = isComplete(settled)
  const { error, isSuccess, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['validateE911', settled],
    queryFn: ({ signal }) => request('validateE911', { body: bodyOf(settled) }, signal).then(() => true),
    enabled,
    placeholderData: keepPreviousData,
  })
  const refused = enabled ? error : null
  const waits = form !== settled || isFetching || isPlaceholderData
  const state = !isComplete(form) ? 'incomplete' : waits ? 'checking' : isSuccess ? 'valid' : 'refused'
  return { state, error: refused, of: (field) => (state === 'refused' ? fieldError(refused, field) : null) }
}

/** The assessment below the form: valid, on its way, or what the address may have been meant to be. */
export function AssessmentPanel({
  assessment: { state, error },
  form,
  onAccept,
}: {
  assessment: Pick<Assessment, 'state' | 'error'>
  form: AddressForm
  onAccept(corrected: AddressForm): void
}) {
  if (state === 'incomplete')
    return (
      <Soft as="p" size="body">
        It is checked as soon as everything is filled in.
      </Soft>
    )
  if (state === 'checking') return <Status meaning="moving">Checking</Status>
  if (state === 'valid') return <Status meaning="done">Valid: help can be sent there</Status>
  if (error instanceof AddressCorrectionError)
    return <Corrections corrections={error.corrections} form={form} onAccept={onAccept} />
  // what is wrong with a field stands at the field
  if (error === null || addressFields.some((field) => fieldError(error, field) !== null))
    return <Status meaning="refused">Not valid yet: see the fields</Status>
  return <Problem refusal={refusalOf(error)} />
}

function Corrections({
  corrections,
  form,
  onAccept,
}: {
  corrections: readonly AddressCorrection[]
  form: AddressForm
  onAccept(corrected: AddressForm): void
}) {
  return (
    <Stack gap="narrow">
      <p>
        <Status meaning="needs-you">Nearly right</Status> Choose the address that you mean. What differs is marked.
      </p>
      <ul className={css.corrections}>
        {corrections.map(({ address, reason }) => {
          const { street_number, street_name, city, state, zip } = address
          const corrected = { ...form, street_number, street_name, city, state, zip }
          return (
            <li key={[street_number, street_name, city, state, zip].join(' ')} className={css.correction}>
              <span>
                <Marked typed={form.street_number} text={street_number} />{' '}
                <Marked typed={form.street_name} text={street_name} />, <Marked typed={form.city} text={city} />,{' '}
                <Marked typed={form.state} text={state} /> <Marked typed={form.zip} text={zip} />
                {reason !== null && <Soft below>{reason}</Soft>}
              </span>
              <Button size="small" kind="primary" onPress={() => onAccept(corrected)}>
                Use this address
              </Button>
            </li>
          )
        })}
      </ul>
    </Stack>
  )
}

function Marked({ typed, text }: { typed: string; text: string }) {
  return differences(typed, text).map(({ text: part, changed }, i) =>
    changed ? (
      // parts of one text, in their order
      <mark key={i}>{part}</mark>
    ) : (
      part
    ),
  )
}
