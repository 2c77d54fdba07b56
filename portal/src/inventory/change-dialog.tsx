import { useState } from 'react'
import { fieldError, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { RadioGroup, TextField } from '../ui/field.tsx'
import { Soft, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { PhoneNumber } from '../ui/values.tsx'

type Outcome = Body<'changeInventory'>['data'][number]

const actions = [
  { value: 'hold', label: 'Hold', hint: 'Takes available numbers off sale.' },
  {
    value: 'recall',
    label: 'Recall',
    hint: 'Also takes aging and held numbers back, for example for their supplier. Former customers can no longer restore them.',
  },
  {
    value: 'make_available',
    label: 'Make available',
    hint: 'Puts held, recalled, and returned ported-out numbers on sale again.',
  },
] as const

const results = {
  changed: { label: 'Changed', meaning: 'done' },
  unchanged: { label: 'No change needed', meaning: 'quiet' },
  refused: { label: 'Refused', meaning: 'refused' },
} as const

/** Holds, recalls, or makes the numbers available, and reports each. */
export function ChangeInventoryDialog({
  values,
  onDone,
  onClose,
}: {
  values: readonly string[]
  /** When the numbers are changed. */
  onDone(): void
  onClose(): void
}) {
  const [numbers] = useState(values)
  const [action, setAction] = useState<(typeof actions)[number]['value']>('hold')
  const [reason, setReason] = useState('')
  const change = useChange('changeInventory')
  const needsReason = action !== 'make_available'
  if (change.data !== undefined) return <Outcomes {...change.data} onClose={onClose} />
  return (
    <FormDialog
      title={numbers.length === 1 ? 'Change 1 number' : `Change ${numbers.length.toLocaleString('en-US')} numbers`}
      verb={actions.find(({ value }) => value === action)?.label ?? 'Change'}
      isPending={change.isPending}
      disabledReason={needsReason && reason.trim() === '' ? 'Enter a reason first.' : null}
      error={fieldError(change.error, 'reason') === null ? change.error : null}
      onSend={() =>
        change.mutate(
          { body: { numbers: [...numbers], action, ...(needsReason && { reason: reason.trim() }) } },
          { onSuccess: onDone },
        )
      }
      onClose={onClose}
    >
      <RadioGroup
        label="Action"
        options={actions}
        value={action}
        onChange={(next) => setAction(actions.find(({ value }) => value === next)?.value ?? action)}
      />
      {needsReason && (
        <TextField
          label="Reason"
          value={reason}
          onChange={setReason}
          maxLength={200}
          hint="Shown with the numbers and in the audit log. Customers do not see it."
          error={fieldError(change.error, 'reason')}
        />
      )}
      <Soft as="p">Numbers that an account has or has reserved are refused; the others change.</Soft>
    </FormDialog>
  )
}

function Outcomes({ data, meta: { changed_count }, onClose }: Body<'changeInventory'> & { onClose(): void }) {
  const others = data.filter(({ outcome }) => outcome !== 'changed')
  return (
    <Dialog
      title={changed_count === 1 ? '1 number changed' : `${changed_count.toLocaleString('en-US')} numbers changed`}
      isOpen
      onClose={onClose}
      verbs={
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      }
    >
      {others.length === 0 ? (
        <p>All selected numbers changed.</p>
      ) : (
        <Stack gap="narrow">
          <p>These numbers did not change:</p>
          <Table
            label="Numbers that did not change"
            columns={columns}
            rows={others}
            keyOf={({ value }) => value}
            dense
          />
        </Stack>
      )}
    </Dialog>
  )
}

const columns: Column<Outcome>[] = [
  { title: 'Number', head: true, cell: ({ value }) => <PhoneNumber value={value} /> },
  {
    title: 'Outcome',
    cell: ({ outcome, reason }) => (
      <>
        <Status meaning={results[outcome].meaning}>{results[outcome].label}</Status>
        {reason !== null && <Soft below>{reason}</Soft>}
      </>
    ),
  },
]
