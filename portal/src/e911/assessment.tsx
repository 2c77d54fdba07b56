import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AddressCorrectionError, type AddressCorrection } from '@demarc/client/light'
import { e911LevelHeader, e911LevelMeanings, e911Levels } from '@demarc/client/rules'
import { useEffect, useState } from 'react'
import { fieldError, refusalOf, requestWithHeaders } from '../api.ts'
import { Button, Problem, Soft, Stack, Status } from '../ui/index.ts'
import { addressFields, bodyOf, differences, isComplete, type AddressField, type AddressForm } from './form.ts'
import css from './address.module.css'

type Level = (typeof e911Levels)[number]

/** Delay between the last keystroke and the check. */
const typing_ms = 350

/** Live validation of the address being entered. */
export interface Assessment {
  state: 'incomplete' | 'checking' | 'valid' | 'refused'
  /** How far a valid address was checked. */
  level: Level | null
  error: Error | null
  /** A field's error in the refusal. */
  of(field: AddressField): string | null
}

/** Checks the address as it is typed, without saving it. */
export function useAssessment(form: AddressForm): Assessment {
  const [settled, setSettled] = useState(form)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(form), typing_ms)
    return () => clearTimeout(timer)
  }, [form])
  const enabled = isComplete(settled)
  const { data, error, isSuccess, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['validateE911', settled],
    queryFn: async ({ signal }) =>
      levelIn((await requestWithHeaders('validateE911', { body: bodyOf(settled) }, signal)).headers),
    enabled,
    placeholderData: keepPreviousData,
  })
  const refused = enabled ? error : null
  const waits = form !== settled || isFetching || isPlaceholderData
  const state = !isComplete(form) ? 'incomplete' : waits ? 'checking' : isSuccess ? 'valid' : 'refused'
  return {
    state,
    level: data ?? null,
    error: refused,
    of: (field) => (state === 'refused' ? fieldError(refused, field) : null),
  }
}

function levelIn(headers: Headers): Level | null {
  const sent = headers.get(e911LevelHeader)
  return e911Levels.find((level) => level === sent) ?? null
}

interface AssessmentPanelProps {
  assessment: Pick<Assessment, 'state' | 'level' | 'error'>
  form: AddressForm
  onAccept(corrected: AddressForm): void
}

/** The result below the form: valid, in progress, or suggested corrections. */
export function AssessmentPanel({ assessment: { state, level, error }, form, onAccept }: AssessmentPanelProps) {
  if (state === 'incomplete')
    return (
      <Soft as="p" size="body">
        Fill in all required fields to check the address.
      </Soft>
    )
  if (state === 'checking') return <Status meaning="moving">Checking</Status>
  if (state === 'valid') return <ValidAddress level={level} />
  if (error instanceof AddressCorrectionError)
    return <Corrections corrections={error.corrections} form={form} onAccept={onAccept} />
  // errors are shown at their fields
  if (error === null || addressFields.some((field) => fieldError(error, field) !== null))
    return <Status meaning="refused">Not valid: see the fields above</Status>
  return <Problem refusal={refusalOf(error)} />
}

/** At `postal`, the street may not exist, so the address isn't called valid. */
function ValidAddress({ level }: { level: Level | null }) {
  const isStreetUnknown = level === 'postal'
  return (
    <p>
      <Status meaning={isStreetUnknown ? 'needs-you' : 'done'}>
        {isStreetUnknown ? 'Street not checked' : 'Valid address'}
      </Status>
      {level !== null && (
        <Soft below>
          {e911LevelMeanings[level]}
          {isStreetUnknown && ' Make sure that the street and house number are right.'}
        </Soft>
      )}
    </p>
  )
}

interface CorrectionsProps {
  corrections: readonly AddressCorrection[]
  form: AddressForm
  onAccept(corrected: AddressForm): void
}

function Corrections({ corrections, form, onAccept }: CorrectionsProps) {
  return (
    <Stack gap="narrow">
      <p>
        <Status meaning="needs-you">Did you mean one of these?</Status> Choose the correct address. Differences are
        highlighted.
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
      // parts of one text, in order
      <mark key={i}>{part}</mark>
    ) : (
      part
    ),
  )
}
