import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { editAllowed } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf } from '../api.ts'
import { Button, Card, Facts, Money, Problem, Stack } from '../ui/index.ts'
import { DetailsForm } from './details-form.tsx'
import { useDetails } from './details.ts'
import { detailNames, fieldLabel, fieldOf, type DetailName, type Details } from './fields.ts'
import { checkOf } from './queries.ts'
import type { PortOrder } from './words.ts'

/** The details that the losing carrier compares with its records; editable until the order is submitted, and after a rejection. */
export function DetailsCard({ order }: { order: PortOrder }) {
  const [editing, setEditing] = useState(false)
  const readOnly = useReadOnlyReason()
  const allowed = editAllowed('details', order.attributes.status)
  const disabledReason = readOnly ?? (allowed.ok ? null : allowed.reason)
  const editable = editing && disabledReason === null
  return (
    <Card
      title="Losing carrier and billing details"
      aside={
        <Button size="small" disabledReason={disabledReason} onPress={() => setEditing(!editable)}>
          {editable ? 'Done' : 'Change'}
        </Button>
      }
    >
      {editable ? <EditedDetails order={order} /> : <DetailsFacts order={order} />}
    </Card>
  )
}

function EditedDetails({ order }: { order: PortOrder }) {
  const details = useDetails(order)
  const check = useQuery(checkOf(order.id))
  return (
    <Stack gap="narrow">
      <DetailsForm {...details} findings={check.data?.data.attributes.findings ?? []} />
      {details.refusal !== null && <Problem refusal={refusalOf(details.refusal)} />}
      <p role="status">{details.isSaving ? 'Saving…' : 'Changes are saved as you leave each field.'}</p>
    </Stack>
  )
}

function DetailsFacts({ order }: { order: PortOrder }) {
  const { values } = useDetails(order)
  const shown = detailNames.filter((name) => values[name] !== '' && !addressNames.has(name) && name !== 'alias')
  return (
    <Facts
      facts={[
        ...shown.map((name) => [fieldLabel(name), valueText(name, values)] as const),
        ['Service address', addressText(values)] as const,
        ['Cost', <Money key="cost" amount={order.attributes.cost} />] as const,
      ]}
    />
  )
}

const addressNames: ReadonlySet<DetailName> = new Set(['street', 'street2', 'city', 'state', 'zip', 'country'])

const valueText = (name: DetailName, values: Details): string =>
  fieldOf(name).options?.find(({ value }) => value === values[name])?.label ?? values[name]

const addressText = ({ street, street2, city, state, zip, country }: Details) =>
  [street, street2, city, `${state} ${zip}`, country].filter((part) => part.trim() !== '').join(', ')
