import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldError, qAs, useChange } from '../../api.ts'
import { DialogButton } from '../../shell/change-buttons.tsx'
import { FormDialog } from '../../shell/form-dialog.tsx'
import { Loaded } from '../../shell/loaded.tsx'
import { Card, Facts, Status, TextField, Time } from '../../ui/index.ts'
import { actorText } from '../audit/words.ts'
import { usePersonName } from '../staff.ts'

const useAccount = (account_id: string) => useQuery(qAs(null, 'getAccount', { params: { account_id } }))

/** Text after the account's other facts, so that no one overlooks a hold. */
export function HeldFact({ account }: { account: string }) {
  return useAccount(account).data?.data.attributes.held_at == null ? null : ', under legal hold'
}

/** Whether the account is under legal hold, since when, and why. */
export function LegalHold({ account }: { account: string }) {
  const found = useAccount(account)
  const personName = usePersonName()
  const held_at = found.data?.data.attributes.held_at
  return (
    <Card
      title="Legal hold"
      aside={
        held_at !== undefined && (
          <DialogButton
            size="small"
            dialog={(close) => <ReasonDialog account={account} lifts={held_at !== null} onClose={close} />}
          >
            {held_at === null ? dialogs.set.title : dialogs.lift.title}
          </DialogButton>
        )
      }
    >
      <Loaded query={found}>
        {({ data: { attributes } }) => (
          <Facts
            facts={
              attributes.held_at === null
                ? [['Status', 'Not under legal hold. Data is deleted when its retention period ends.']]
                : [
                    [
                      'Status',
                      <Status key="status" meaning="needs-you">
                        On hold
                      </Status>,
                    ],
                    ['Since', <Time key="since" at={attributes.held_at} />],
                    ['Reason', attributes.hold_reason],
                    ['Set by', actorText(attributes.held_by ?? '', personName)],
                  ]
            }
          />
        )}
      </Loaded>
    </Card>
  )
}

const dialogs = {
  set: {
    title: 'Set a legal hold',
    verb: 'Set the hold',
    consequence:
      'Until you lift the hold, the service deletes none of the account’s data: not by age, not when files expire, and not as personal data. The customer can still change and delete their own records.',
  },
  lift: {
    title: 'Lift the legal hold',
    verb: 'Lift the hold',
    consequence: 'Data whose retention period has ended is deleted the next night and can’t be restored.',
  },
} as const

/** `lifts` as when the dialog was opened: if someone else changes the hold meanwhile, the service refuses. */
function ReasonDialog({ account, lifts, onClose }: { account: string; lifts: boolean; onClose(): void }) {
  const [reason, setReason] = useState('')
  const { title, verb, consequence } = lifts ? dialogs.lift : dialogs.set
  const save = useChange('setLegalHold')
  const body = { is_held: !lifts, reason: reason.trim() }
  return (
    <FormDialog
      title={title}
      verb={verb}
      danger={lifts}
      isPending={save.isPending}
      disabledReason={body.reason === '' ? 'Enter a reason first.' : null}
      error={save.error}
      fields={['reason']}
      onSend={() => save.mutate({ params: { account_id: account }, body }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{consequence}</p>
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        autoFocus
        hint="For the audit log, such as a case number. The customer doesn’t see it."
        error={fieldError(save.error, 'reason')}
      />
    </FormDialog>
  )
}
