import { countText } from '@demarc/client/rules'
import { useState } from 'react'
import { fieldError, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import {
  PhoneNumber,
  RadioGroup,
  ResultDialog,
  Soft,
  StatusOf,
  Table,
  TextField,
  TwoLines,
  type Column,
} from '../ui/index.ts'

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

interface ChangeInventoryProps {
  numbers: readonly string[]
  /** When the numbers are changed. */
  onDone(): void
  onClose(): void
}

/** Holds, recalls, or makes the numbers available, and reports each. */
export function ChangeInventoryDialog({ numbers, onDone, onClose }: ChangeInventoryProps) {
  const [action, setAction] = useState<(typeof actions)[number]['value']>('hold')
  const [text, setReason] = useState('')
  const change = useChange('changeInventory', onDone)
  const reason = action === 'make_available' ? undefined : text.trim()
  if (change.data !== undefined) return <Outcomes {...change.data} onClose={onClose} />
  return (
    <FormDialog
      title={`Change ${countText(numbers.length, 'number')}`}
      verb={actions.find(({ value }) => value === action)?.label ?? 'Change'}
      {...change}
      fields={['reason']}
      disabledReason={reason === '' ? 'Enter a reason first.' : null}
      onSend={() => change.mutate({ body: { numbers: [...numbers], action, reason } })}
      onClose={onClose}
    >
      <RadioGroup label="Action" options={actions} value={action} onChange={setAction} />
      {reason !== undefined && (
        <TextField
          label="Reason"
          value={text}
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
    <ResultDialog title={`${countText(changed_count, 'number')} changed`} onClose={onClose}>
      {others.length === 0 ? (
        <p>All selected numbers changed.</p>
      ) : (
        <>
          <p>These numbers did not change:</p>
          <Table
            label="Numbers that did not change"
            columns={columns}
            rows={others}
            keyOf={({ value }) => value}
            dense
          />
        </>
      )}
    </ResultDialog>
  )
}

const columns: Column<Outcome>[] = [
  { title: 'Number', head: true, cell: ({ value }) => <PhoneNumber value={value} /> },
  {
    title: 'Outcome',
    cell: ({ outcome, reason }) => (
      <TwoLines below={reason}>
        <StatusOf words={results} value={outcome} />
      </TwoLines>
    ),
  },
]
