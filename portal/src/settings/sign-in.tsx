import { useSession } from '../account.ts'
import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { useDialog, type OpenDialog } from '../shell/change-buttons.tsx'
import { Button, Card, Columns, Facts, Row, Stack, Status } from '../ui/index.ts'
import { PasskeysCard } from './passkeys.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RecoveryCodesDialog, RenewCodesDialog } from './recovery-codes.tsx'
import { SessionsCard } from './sessions.tsx'
import { TotpDialog } from './totp-dialog.tsx'

/** The person's sign-in methods and sessions. */
export function SignIn() {
  const [dialog, open] = useDialog()
  const onCodes = (codes: readonly string[]) => open((close) => <RecoveryCodesDialog codes={codes} onClose={close} />)
  return (
    <Stack>
      <Columns>
        <SignInCard open={open} onCodes={onCodes} />
        <PasskeysCard onCodes={onCodes} />
      </Columns>
      <SessionsCard />
      {dialog}
    </Stack>
  )
}

interface SignInCardProps {
  open: OpenDialog
  onCodes(codes: readonly string[]): void
}

function SignInCard({ open, onCodes }: SignInCardProps) {
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
          <Button onPress={() => open((close) => <PasswordDialog onClose={close} />)}>
            {person.has_password ? 'Change the password' : 'Set a password'}
          </Button>
          {person.has_totp ? (
            <Button onPress={() => open((close) => <RemoveTotpDialog onClose={close} />)}>Remove the app</Button>
          ) : (
            <Button onPress={() => open((close) => <TotpDialog onClose={close} onCodes={onCodes} />)}>
              Set up an authenticator app
            </Button>
          )}
          <Button
            disabledReason={
              second
                ? null
                : 'Set up an authenticator app or a passkey first. Recovery codes replace them if they are lost.'
            }
            onPress={() => open((close) => <RenewCodesDialog onClose={close} onCodes={onCodes} />)}
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
  const remove = useChange('removeTotp', onClose)
  return (
    <ConsequenceDialog
      title="Remove the authenticator app"
      verb="Remove app"
      {...remove}
      onDo={() => remove.mutate({})}
      onClose={onClose}
    >
      Its codes will stop working. If you have no passkey, only your password is needed to sign in.
    </ConsequenceDialog>
  )
}
