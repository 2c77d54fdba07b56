import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { shellQuoted } from '../ui/text.ts'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Card, PageHead, Row, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { AddressFormFields } from './address-form.tsx'
import { bodyOf, emptyForm, isComplete } from './form.ts'
import { useAssessment, AssessmentPanel } from './assessment.tsx'

/** Is this address valid for 911? */
export function NewAddressPage() {
  const [form, setForm] = useState(emptyForm)
  const assessment = useAssessment(form)
  const create = useChange('createE911')
  const readOnly = useReadOnlyReason()
  const navigate = useNavigate()
  const body = bodyOf(form)
  const save = () =>
    create.mutate(
      { body },
      {
        onSuccess: ({ data }) => {
          toast(`${data.attributes.label} saved. Next, assign it to your numbers.`, { kind: 'done' })
          void navigate({ to: '/e911/$e911_id', params: { e911_id: data.id } })
        },
      },
    )
  const disabledReason = !isComplete(form)
    ? 'Fill in the address first.'
    : assessment.state === 'refused'
      ? 'The address isn’t valid yet. See the result below the fields.'
      : null
  return (
    <Stack>
      <PageHead
        before={<Link to="/e911">E911</Link>}
        title="New emergency address"
        facts="Where help is sent when someone dials 911 from one of your numbers. The address is checked as you type."
        verb={<ShowAsApiCall operation="createE911" input={{ body }} command={commandOf(form)} />}
      />
      <Card title="Address">
        <Stack>
          <AddressFormFields
            form={form}
            onChange={(next) => {
              create.reset()
              setForm(next)
            }}
            errorOf={(field) => assessment.of(field) ?? fieldError(create.error, field)}
          />
          <AssessmentPanel assessment={assessment} form={form} onAccept={setForm} />
          {create.error !== null && assessment.state !== 'refused' && <Problem refusal={refusalOf(create.error)} />}
          <Row>
            <Button
              kind="primary"
              isPending={create.isPending}
              disabledReason={readOnly ?? disabledReason}
              onPress={save}
            >
              Save address
            </Button>
          </Row>
        </Stack>
      </Card>
    </Stack>
  )
}

const commandOf = (form: typeof emptyForm) =>
  [
    'demarc e911 create',
    ...Object.entries(form).flatMap(([name, value]) =>
      value === '' ? [] : [`--${name.replaceAll('_', '-')} ${shellQuoted(value)}`],
    ),
  ].join(' ')
