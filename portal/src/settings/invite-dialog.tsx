import { roleTexts } from '@demarc/client/rules'
import { useState } from 'react'
import { useSeen } from '../account.ts'
import { fieldError, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { OnceDialog, ResultDialog, Secret, Soft, TextField, Time } from '../ui/index.ts'
import { type Invitation, RoleChoice } from './people-dialogs.tsx'

/** Invites a person, then shows the link once if the service doesn’t mail it. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { side } = useSeen()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Body<'listPeople'>['data'][number]['role']>(
    side === 'operator' ? 'operator_read_only' : 'read_only',
  )
  const invite = useChange('invitePerson')
  if (invite.data !== undefined) {
    const { url, ...invitation } = invite.data.data
    return url === null ? (
      <InvitationMailed invitation={invitation} onClose={onClose} />
    ) : (
      <InvitationLink invitation={invitation} url={url} onClose={onClose} />
    )
  }
  return (
    <FormDialog
      title="Invite a person"
      verb="Invite"
      {...invite}
      fields={['email']}
      disabledReason={email === '' ? 'Enter an email address first.' : null}
      onSend={() => invite.mutate({ body: { email, role } })}
      onClose={onClose}
    >
      <TextField
        label="Email address"
        type="email"
        value={email}
        onChange={setEmail}
        autoFocus
        error={fieldError(invite.error, 'email')}
      />
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}

interface InvitationProps {
  invitation: Pick<Invitation, 'email' | 'role' | 'expires_at'>
  onClose(): void
}

function InvitationMailed({ invitation: { email, role, expires_at }, onClose }: InvitationProps) {
  return (
    <ResultDialog title={`Invitation for ${email}`} onClose={onClose}>
      <p>We’re mailing the link to {email}. Only the person who reads that mailbox can accept it.</p>
      <Soft as="p">
        They become {roleTexts[role].name.toLowerCase()} here. The link works once, until <Time at={expires_at} />.
      </Soft>
    </ResultDialog>
  )
}

function InvitationLink({ invitation: { email, role, expires_at }, url, onClose }: InvitationProps & { url: string }) {
  return (
    <OnceDialog title={`Invitation link for ${email}`} verb="I’ve copied it" onClose={onClose}>
      <p>
        Send this link to the person yourself. It is shown only once. If it gets lost, invite the same address again.
      </p>
      <Secret text={url} label="the link" />
      <Soft as="p">
        The person who opens it becomes {roleTexts[role].name.toLowerCase()} here. The link works once, until{' '}
        <Time at={expires_at} />. Because it isn’t mailed, it doesn’t verify the address: the person can use this
        sign-in for this account only.
      </Soft>
    </OnceDialog>
  )
}
