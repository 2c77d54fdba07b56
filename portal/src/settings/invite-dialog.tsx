import { roleTexts } from '@demarc/client/rules'
import { useState } from 'react'
import { useSeen } from '../account.ts'
import { fieldError, refusalOf, useChange, type Body } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Secret } from '../ui/secret.tsx'
import { Time } from '../ui/values.tsx'
import { RoleChoice } from './people-dialogs.tsx'
import css from './settings.module.css'

/** Invites somebody, and then shows the link: this once. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { side } = useSeen()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Body<'listPeople'>['data'][number]['role']>(
    side === 'operator' ? 'operator_read_only' : 'read_only',
  )
  const invite = useChange('invitePerson')
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data.data} onClose={onClose} />
  return (
    <Dialog
      title="Invite somebody"
      isOpen
      onClose={onClose}
      verbs={
        <Button
          kind="primary"
          isPending={invite.isPending}
          whyNot={email === '' ? 'Enter their e-mail address first.' : null}
          onPress={() => invite.mutate({ body: { email, role } })}
        >
          Make the link
        </Button>
      }
    >
      <Stack gap="narrow">
        <TextField
          label="Their e-mail address"
          type="email"
          value={email}
          onChange={setEmail}
          autoFocus
          error={fieldError(invite.error, 'email')}
        />
        <RoleChoice value={role} onChange={setRole} />
        {invite.error !== null && fieldError(invite.error, 'email') === null && (
          <Problem refusal={refusalOf(invite.error)} />
        )}
      </Stack>
    </Dialog>
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
      title={`The link for ${email}`}
      isOpen
      onClose={onClose}
      dismissable={false}
      verbs={
        <Button kind="primary" onPress={onClose}>
          I have it
        </Button>
      }
    >
      <Stack gap="narrow">
        <p>Send it to them yourself. It is shown this once; if it is lost, invite the same address again.</p>
        <Secret text={url} label="the link" />
        <p className={css.soft}>
          Whoever opens it becomes {roleTexts[role].name.toLowerCase()} here. It works once, until{' '}
          <Time at={expires_at} />.
        </p>
      </Stack>
    </Dialog>
  )
}
