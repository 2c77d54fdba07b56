import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, q, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Card, Facts } from '../ui/panels.tsx'
import { Select } from '../ui/select.tsx'
import { dollars } from '../ui/text.ts'
import { Count } from '../ui/values.tsx'

type Limits = Body<'getNumberPolicy'>['data']['attributes']

/** How many numbers an account may order and reserve, and which of its orders need approval. */
export function NumberLimits({ account }: { account: string }) {
  const policy = useQuery(q('getNumberPolicy', { params: { account_id: account } }))
  const [open, setOpen] = useState(false)
  const readOnly = useReadOnlyReason()
  return (
    <Card
      title="Number limits"
      aside={
        <Button size="small" disabledReason={readOnly} onPress={() => setOpen(true)}>
          Change limits
        </Button>
      }
    >
      <Loaded query={policy}>
        {({ data: { attributes } }) => (
          <>
            <Facts
              facts={[
                ['Numbers on the account', limitText(attributes.numbers_max, 'No limit')],
                ['Reserved at a time', limitText(attributes.reserved_max, '100 (default)')],
                ['Orders that need approval', approvalText(attributes)],
              ]}
            />
            {open && <LimitsDialog account={account} limits={attributes} onClose={() => setOpen(false)} />}
          </>
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
    ...(quantity === null ? [] : [`${quantity.toLocaleString('en-US')} numbers`]),
    ...(cost === null ? [] : [`${dollars(cost)} each month`]),
  ]
  return `Above ${limits.join(' or ')}`
}

const wholeNumber = /^\d{0,8}$/

interface LimitsForm {
  numbers: string
  reserved: string
  approval: Limits['approval']
  quantity: string
  cost: string
}

const valueOf = (text: string) => (text.trim() === '' ? null : Number(text))

const bodyOf = ({ numbers, reserved, approval, quantity, cost }: LimitsForm) => ({
  numbers_max: valueOf(numbers),
  reserved_max: valueOf(reserved),
  approval,
  ...(approval === 'above' && {
    approval_quantity_max: valueOf(quantity),
    approval_monthly_cost_max: cost.trim() === '' ? null : cost.trim(),
  }),
})

const fields = [
  {
    name: 'numbers',
    field: 'numbers_max',
    label: 'Numbers on the account',
    hint: 'Orders beyond it are refused. Port orders are not limited. Empty: no limit.',
  },
  { name: 'reserved', field: 'reserved_max', label: 'Reserved at a time', hint: 'Empty: 100.' },
] as const

const approvalFields = [
  { name: 'quantity', field: 'approval_quantity_max', label: 'More than this many numbers', hint: undefined },
  { name: 'cost', field: 'approval_monthly_cost_max', label: 'More than this each month, in dollars', hint: undefined },
] as const

function LimitsDialog({ account, limits, onClose }: { account: string; limits: Limits; onClose(): void }) {
  const [form, setForm] = useState<LimitsForm>({
    numbers: String(limits.numbers_max ?? ''),
    reserved: String(limits.reserved_max ?? ''),
    approval: limits.approval,
    quantity: String(limits.approval_quantity_max ?? ''),
    cost: limits.approval_monthly_cost_max ?? '',
  })
  const save = useChange('setNumberPolicy')
  const isValid = [form.numbers, form.reserved, form.quantity].every((text) => wholeNumber.test(text.trim()))
  const all = [...fields, ...approvalFields]
  const isShown = all.some(({ field }) => fieldError(save.error, field) !== null)
  const fieldOf = ({ name, field, label, hint }: (typeof all)[number]) => (
    <TextField
      key={name}
      label={label}
      value={form[name]}
      onChange={(value) => setForm({ ...form, [name]: value })}
      inputMode="decimal"
      {...(hint !== undefined && { hint })}
      error={fieldError(save.error, field)}
    />
  )
  return (
    <FormDialog
      title="Change number limits"
      verb="Save"
      isPending={save.isPending}
      disabledReason={isValid ? null : 'Enter whole numbers, or leave a field empty.'}
      error={isShown ? null : save.error}
      onSend={() => save.mutate({ params: { account_id: account }, body: bodyOf(form) }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {fields.map(fieldOf)}
      <Select
        label="Orders that need your approval"
        options={approvals}
        value={form.approval}
        onChange={(next) =>
          setForm({ ...form, approval: approvals.find(({ value }) => value === next)?.value ?? form.approval })
        }
      />
      {form.approval === 'above' && approvalFields.map(fieldOf)}
    </FormDialog>
  )
}
