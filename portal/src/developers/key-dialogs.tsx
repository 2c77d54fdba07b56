import type { Body } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Secret } from '../ui/secret.tsx'
import { Soft } from '../ui/soft.tsx'
import { toast } from '../ui/toast.tsx'
import { Time } from '../ui/values.tsx'
import { useRevokeKey, useRotateKey, type KeyOwner } from './key-operations.ts'
import type { Key } from './types.ts'

interface KeyDialogProps {
  account: KeyOwner
  accessKey: Key
  onClose(): void
}

/** A new key with its secret, this once. */
export function NewKeySecret({ made, onClose }: { made: Body<'createOwnKey'>['data']; onClose(): void }) {
  const { name, access_key, secret_key } = made.attributes
  return (
    <Dialog
      title={`The key ${name}`}
      isOpen
      onClose={onClose}
      dismissable={false}
      verbs={
        <Button kind="primary" onPress={onClose}>
          I have kept it
        </Button>
      }
    >
      <Stack gap="narrow">
        <p>The secret is shown this once. If it is lost, rotate the key.</p>
        <h3>Access key, the user name of Basic authentication</h3>
        <Secret text={access_key} label="the access key" />
        <h3>Secret key, its password</h3>
        <Secret text={secret_key} label="the secret key" />
        <h3>Try it</h3>
        <Secret
          text={`curl -u '${access_key}:${secret_key}' '${location.origin}/v2/whoami'`}
          label="the curl command"
        />
      </Stack>
    </Dialog>
  )
}

export function RotateDialog({ account, accessKey, onClose }: KeyDialogProps) {
  const rotate = useRotateKey(account)
  if (rotate.data !== undefined) return <NewKeySecret made={rotate.data.data} onClose={onClose} />
  return (
    <FormDialog
      title={`Rotate ${accessKey.attributes.name}`}
      verb="Make the new key"
      autoFocus
      isPending={rotate.isPending}
      error={rotate.error}
      onSend={() => rotate.mutate(accessKey)}
      onClose={onClose}
    >
      <p>
        This makes a new key with the same name, scopes and expiry. The old one works for another 24 hours, so that
        programs can be changed one after another.
      </p>
    </FormDialog>
  )
}

export function RevokeDialog({ account, accessKey, onClose }: KeyDialogProps) {
  const { name, last_used_at } = accessKey.attributes
  const revoke = useRevokeKey(account)
  const onSuccess = () => {
    toast(`${name} is revoked.`, { kind: 'done' })
    onClose()
  }
  return (
    <ConsequenceDialog
      title={`Revoke ${name}`}
      verb="Revoke the key"
      {...revoke}
      onDo={() => revoke.mutate(accessKey, { onSuccess })}
      onClose={onClose}
    >
      Requests with this key are refused at once, everywhere, and it cannot be undone.{' '}
      <Soft>
        {last_used_at === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used on <Time at={last_used_at} />.
          </>
        )}
      </Soft>
    </ConsequenceDialog>
  )
}
