import { request, useChangeBy, type Body } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { OnceDialog, Secret, Soft, Time, toast } from '../ui/index.ts'

/** The account of a key: the one in view (null), or any, for the operator's staff. */
export type KeyOwner = string | null
export type Key = Body<'listOwnKeys'>['data'][number]

interface KeyDialogProps {
  account: KeyOwner
  accessKey: Key
  onClose(): void
}

/** A new key with its secret, which is shown only once. */
export function NewKeySecret({ made, onClose }: { made: Body<'createOwnKey'>['data']; onClose(): void }) {
  const { name, access_key, secret_key } = made.attributes
  return (
    <OnceDialog title={`Key ${name}`} verb="I’ve saved it" onClose={onClose}>
      <p>The secret is shown only once. If you lose it, rotate the key.</p>
      <h3>Access key (the user name for Basic authentication)</h3>
      <Secret text={access_key} label="the access key" />
      <h3>Secret key (the password)</h3>
      <Secret text={secret_key} label="the secret key" />
      <h3>Try it</h3>
      <Secret text={`curl -u '${access_key}:${secret_key}' '${location.origin}/v2/whoami'`} label="the curl command" />
    </OnceDialog>
  )
}

/** Creates a key with the same settings; the old one works for another day. */
export function RotateDialog({ account: account_id, accessKey, onClose }: KeyDialogProps) {
  const rotate = useChangeBy(async ({ id: key_id }: Key) => {
    if (account_id === null) return await request('rotateOwnKey', { params: { key_id } })
    return await request('rotateKey', { params: { account_id, key_id } })
  })
  if (rotate.data !== undefined) return <NewKeySecret made={rotate.data.data} onClose={onClose} />
  return (
    <FormDialog
      title={`Rotate ${accessKey.attributes.name}`}
      verb="Create the new key"
      autoFocus
      {...rotate}
      onSend={() => rotate.mutate(accessKey)}
      onClose={onClose}
    >
      <p>
        This creates a new key with the same name, scopes, and expiration. The old key keeps working for 24 hours, so
        you can update your programs one at a time.
      </p>
    </FormDialog>
  )
}

export function RevokeDialog({ account: account_id, accessKey, onClose }: KeyDialogProps) {
  const { name, last_used_at } = accessKey.attributes
  const revoked = () => {
    toast(`${name} revoked.`, { kind: 'done' })
    onClose()
  }
  const revoke = useChangeBy(async ({ id: key_id }: Key): Promise<void> => {
    if (account_id === null) await request('revokeOwnKey', { params: { key_id } })
    else await request('revokeKey', { params: { account_id, key_id } })
  }, revoked)
  return (
    <ConsequenceDialog
      title={`Revoke ${name}`}
      verb="Revoke the key"
      {...revoke}
      onDo={() => revoke.mutate(accessKey)}
      onClose={onClose}
    >
      Requests with this key are refused immediately. This can’t be undone.{' '}
      <Soft>
        {last_used_at === null ? (
          'This key has never been used.'
        ) : (
          <>
            Last used on <Time at={last_used_at} />.
          </>
        )}
      </Soft>
    </ConsequenceDialog>
  )
}
