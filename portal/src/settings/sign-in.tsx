import { useState } from 'react'
import { useSession } from '../account.ts'
import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Columns, Facts, Row, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { PasskeysCard } from './passkeys.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RecoveryCodesDialog, RenewCodesDialog } from './recovery-codes.tsx'
import { SessionsCard } from './sessions.tsx'
import { TotpDialog } from './totp-dialog.tsx'

type Dialog = 'password' | 'totp' | 'remove-totp' | 'renew-codes'

/** The person's sign-in methods and sessions. */
export function SignIn() {
  const [opened, setOpened] = useState<Dialog | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = () => setOpened(null)
  return (
    <Stack>
      <Columns>
        <SignInCard onOpen={setOpened} />
        <PasskeysCard onCodes={setCodes} />
      </Columns>
      <SessionsCard />
      {opened === 'password' && <PasswordDialog onClose={close} />}
      {opened === 'totp' && <TotpDialog onClose={close} onCodes={setCodes} />}
      {opened === 'remove-totp' && <RemoveTotpDialog onClose={close} />}
      {opened === 'renew-codes' && <RenewCodesDialog onClose={close} onCodes={setCodes} />}
      {codes !== null && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Stack>
  )
}

function SignInCard({ onOpen }: { onOpen(dialog: Dialog): void }) {
  const { person } = useSession()
  const second = person.has_totp || person.passkey_count > 0
  return (
    <Card title="Password and second factor">
      <Stack gap="narrow">
        <Facts
          facts={[
            ['Password', <State key="password" set={person.has_password} otherwise="None" />],
            ['Authenticator app', <State key="totp" set={person.has_totp} otherwise="Not set up" />],
            [
              'Recovery codes',
              second ? `${person.recovery_codes_left} left` : 'Created with your first authenticator app or passkey',
            ],
          ]}
        />
        <Row>
          <Button onPress={() => onOpen('password')}>
            {person.has_password ? 'Change the password' : 'Set a password'}
          </Button>
          {person.has_totp ? (
            <Button onPress={() => onOpen('remove-totp')}>Remove the app</Button>
          ) : (
            <Button onPress={() => onOpen('totp')}>Set up an authenticator app</Button>
          )}
          <Button
            disabledReason={
              second
                ? null
                : 'Set up an authenticator app or a passkey first. Recovery codes replace them if they are lost.'
            }
            onPress={() => onOpen('renew-codes')}
          >
            New recovery codes
          </Button>
        </Row>
      </Stack>
    </Card>
  )
}

const State = ({ set, otherwise }: { set: boolean; otherwise: string }) => (
  <Status meaning={set ? 'done' : 'quiet'}>{set ? 'Set up' : otherwise}</Status>
)

function RemoveTotpDialog({ onClose }: { onClose(): void }) {
  const remove = useChange('removeTotp')
  return (
    <ConsequenceDialog
      title="Remove the authenticator app"
      verb="Remove app"
      {...remove}
      onDo={() => remove.mutate({}, { onSuccess: onClose })}
      onClose={onClose}
    >
      Its codes will stop working. If you have no passkey, only your password is needed to sign in.
    </ConsequenceDialog>
  )
}
