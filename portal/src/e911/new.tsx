import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { commandWith } from '../shell/api-call.tsx'
import { Page } from '../shell/page.tsx'
import { Button, Card, Link, Problem, Row, Stack, toast } from '../ui/index.ts'
import { AddressFormFields } from './address-form.tsx'
import { bodyOf, emptyForm, isComplete } from './form.ts'
import { useAssessment, AssessmentPanel } from './assessment.tsx'

/** Is this address valid for 911? */
export function NewAddressPage() {
  const [form, setForm] = useState(emptyForm)
  const assessment = useAssessment(form)
  const navigate = useNavigate()
  const create = useChange('createE911', ({ data }) => {
    toast(`${data.attributes.label} saved. Next, assign it to your numbers.`, { kind: 'done' })
    void navigate({ to: '/e911/$e911_id', params: { e911_id: data.id } })
  })
  const readOnly = useReadOnlyReason()
  const body = bodyOf(form)
  const disabledReason = !isComplete(form)
    ? 'Fill in the address first.'
    : assessment.state === 'refused'
      ? 'The address isn’t valid yet. See the result below the fields.'
      : null
  return (
    <Page
      before={<Link to="/e911">E911</Link>}
      title="New emergency address"
      facts="Where help is sent when someone dials 911 from one of your numbers. The address is checked as you type."
      call={{ operation: 'createE911', input: { body }, command: commandWith('demarc e911 create', form) }}
    >
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
              onPress={() => create.mutate({ body })}
            >
              Save address
            </Button>
          </Row>
        </Stack>
      </Card>
    </Page>
  )
}
