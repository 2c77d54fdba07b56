import { roleTexts } from '@demarc/client/rules'
import { useState } from 'react'
import { useSeen } from '../account.ts'
import { fieldError, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Stack } from '../ui/panels.tsx'
import { Secret } from '../ui/secret.tsx'
import { Soft } from '../ui/soft.tsx'
import { Time } from '../ui/values.tsx'
import { RoleChoice } from './people-dialogs.tsx'

/** Invites a person, then shows the link once. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { side } = useSeen()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Body<'listPeople'>['data'][number]['role']>(
    side === 'operator' ? 'operator_read_only' : 'read_only',
  )
  const invite = useChange('invitePerson')
  const wrong = fieldError(invite.error, 'email')
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data.data} onClose={onClose} />
  return (
    <FormDialog
      title="Invite a person"
      verb="Create link"
      isPending={invite.isPending}
      disabledReason={email === '' ? 'Enter an email address first.' : null}
      error={wrong === null ? invite.error : null}
      onSend={() => invite.mutate({ body: { email, role } })}
      onClose={onClose}
    >
      <TextField label="Email address" type="email" value={email} onChange={setEmail} autoFocus error={wrong} />
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}

function InvitationLink({
  invitation: { email, role, url, expires_at },
  onClose,
}: {
  invitation: Body<'invitePerson'>['data']
  onClose(): void
}) {
  return (
    <Dialog
      title={`Invitation link for ${email}`}
      isOpen
      onClose={onClose}
      dismissable={false}
      verbs={
        <Button kind="primary" onPress={onClose}>
          I’ve copied it
        </Button>
      }
    >
      <Stack gap="narrow">
        <p>
          Send this link to the person yourself. It is shown only once. If it gets lost, invite the same address again.
        </p>
        <Secret text={url} label="the link" />
        <Soft as="p">
          The person who opens it becomes {roleTexts[role].name.toLowerCase()} here. The link works once, until{' '}
          <Time at={expires_at} />.
        </Soft>
      </Stack>
    </Dialog>
  )
}
