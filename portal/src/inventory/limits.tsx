import { countText } from '@demarc/client/rules'
import { useState } from 'react'
import { fieldError, useChange, useRead, type Body } from '../api.ts'
import { DialogButton } from '../shell/change-buttons.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Card, Count, Facts, Select, TextField } from '../ui/index.ts'
import { dollars, shortDecimal } from '../ui/text.ts'

type Limits = Body<'getNumberPolicy'>['data']['attributes']

/** How many numbers an account may order and reserve, and which of its orders need approval. */
export function NumberLimits({ account }: { account: string }) {
  const policy = useRead('getNumberPolicy', { params: { account_id: account } })
  const limits = policy.data?.data.attributes
  return (
    <Card
      title="Number limits"
      aside={
        <DialogButton
          size="small"
          disabledReason={limits === undefined ? 'The limits are not loaded.' : null}
          dialog={(close) => limits && <LimitsDialog account={account} limits={limits} onClose={close} />}
        >
          Change limits
        </DialogButton>
      }
    >
      <Loaded query={policy}>
        {({ data: { attributes } }) => (
          <Facts
            facts={[
              ['Numbers on the account', limitText(attributes.numbers_max, 'No limit')],
              ['Reserved at a time', limitText(attributes.reserved_max, '100 (default)')],
              ['Orders that need approval', approvalText(attributes)],
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

const limitText = (most: number | null, none: string) => (most === null ? none : <Count of={most} />)

const approvals = [
  { value: 'none', label: 'None' },
  { value: 'all', label: 'All' },
  { value: 'above', label: 'Above a limit' },
] as const

function approvalText({ approval, approval_quantity_max: quantity, approval_monthly_cost_max: cost }: Limits): string {
  if (approval !== 'above') return approval === 'all' ? 'All' : 'None'
  const limits = [
    ...(quantity === null ? [] : [countText(quantity, 'number')]),
    ...(cost === null ? [] : [`${dollars(cost)} monthly`]),
  ]
  return `Above ${limits.join(' or ')}`
}

const fields = [
  {
    name: 'numbers_max',
    label: 'Numbers on the account',
    hint: 'Orders beyond it are refused. Port orders are not limited. Empty: no limit.',
  },
  { name: 'reserved_max', label: 'Reserved at a time', hint: 'Empty: 100.' },
] as const

const approvalFields = [
  { name: 'approval_quantity_max', label: 'More than this many numbers', hint: undefined },
  { name: 'approval_monthly_cost_max', label: 'More than this monthly cost, in dollars', hint: undefined },
] as const

const all = [...fields, ...approvalFields]
type Field = (typeof all)[number]

const numberOf = (text: string) => (text.trim() === '' ? null : Number(text))

function LimitsDialog({ account, limits, onClose }: { account: string; limits: Limits; onClose(): void }) {
  const [approval, setApproval] = useState(limits.approval)
  const [form, setForm] = useState<Record<Field['name'], string>>({
    numbers_max: String(limits.numbers_max ?? ''),
    reserved_max: String(limits.reserved_max ?? ''),
    approval_quantity_max: String(limits.approval_quantity_max ?? ''),
    approval_monthly_cost_max: shortDecimal(limits.approval_monthly_cost_max ?? ''),
  })
  const save = useChange('setNumberPolicy', onClose)
  const { approval_monthly_cost_max: cost, ...counts } = form
  const isValid = Object.values(counts).every((text) => /^\d{0,8}$/.test(text.trim()))
  const body = {
    numbers_max: numberOf(form.numbers_max),
    reserved_max: numberOf(form.reserved_max),
    approval,
    ...(approval === 'above' && {
      approval_quantity_max: numberOf(form.approval_quantity_max),
      approval_monthly_cost_max: cost.trim() || null,
    }),
  }
  const fieldOf = ({ name, label, hint }: Field) => (
    <TextField
      key={name}
      {...{ label, hint }}
      value={form[name]}
      onChange={(value) => setForm({ ...form, [name]: value })}
      inputMode="decimal"
      error={fieldError(save.error, name)}
    />
  )
  return (
    <FormDialog
      title="Change number limits"
      verb="Save"
      {...save}
      fields={all.map(({ name }) => name)}
      disabledReason={isValid ? null : 'Enter whole numbers, or leave a field empty.'}
      onSend={() => save.mutate({ params: { account_id: account }, body })}
      onClose={onClose}
    >
      {fields.map(fieldOf)}
      <Select label="Orders that need your approval" options={approvals} value={approval} onChange={setApproval} />
      {approval === 'above' && approvalFields.map(fieldOf)}
    </FormDialog>
  )
}
