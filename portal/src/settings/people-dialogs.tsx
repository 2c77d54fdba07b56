import { accountRoles, operatorRoles, roleTexts } from '@demarc/client/rules'
import { useState } from 'react'
import { useSeen } from '../account.ts'
import { type Body, useChange } from '../api.ts'
import { RadioGroup, toast } from '../ui/index.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'

type Role = Person['role']

/** The roles of the account or the operator, with their permissions. */
export function RoleChoice({ value, onChange }: { value: Role; onChange(role: Role): void }) {
  const { side } = useSeen()
  const roles: readonly Role[] = side === 'operator' ? operatorRoles : accountRoles
  return (
    <RadioGroup
      label="Role"
      value={value}
      onChange={onChange}
      options={roles.map((role) => ({ value: role, label: roleTexts[role].name, hint: roleTexts[role].allows }))}
    />
  )
}

export function RoleDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const [role, setRole] = useState(person.role)
  const change = useChange('changeRole', () => {
    toast(`${person.name}’s role is now ${roleTexts[role].name}.`, { kind: 'done' })
    onClose()
  })
  return (
    <FormDialog
      title={`Role of ${person.name}`}
      verb="Change the role"
      {...change}
      disabledReason={role === person.role ? 'Choose a different role.' : null}
      onSend={() => change.mutate({ params: { person_id: person.id }, body: { role } })}
      onClose={onClose}
    >
      <RoleChoice value={role} onChange={setRole} />
      <p>The change applies to their next request.</p>
    </FormDialog>
  )
}

export function RemoveDialog({ person: { id, name }, onClose }: { person: Person; onClose(): void }) {
  const remove = useChange('removePerson', () => {
    toast(`${name} removed.`, { kind: 'done' })
    onClose()
  })
  return (
    <ConsequenceDialog
      title={`Remove ${name}`}
      verb="Remove this person"
      {...remove}
      onDo={() => remove.mutate({ params: { person_id: id } })}
      onClose={onClose}
    >
      {name} loses access with their next request. Their past actions stay in the history, and keys they created keep
      working.
    </ConsequenceDialog>
  )
}

export function WithdrawDialog({ invitation: { id, email }, onClose }: { invitation: Invitation; onClose(): void }) {
  const withdraw = useChange('withdrawInvitation', onClose)
  return (
    <ConsequenceDialog
      title={`Withdraw the invitation for ${email}`}
      verb="Withdraw"
      {...withdraw}
      onDo={() => withdraw.mutate({ params: { invitation_id: id } })}
      onClose={onClose}
    >
      Its link stops working immediately. You can invite the same address again.
    </ConsequenceDialog>
  )
}

/** A person of the account or of the operator. */
export type Person = Body<'listPeople'>['data'][number]
/** An open invitation. */
export type Invitation = Body<'listInvitations'>['data'][number]
