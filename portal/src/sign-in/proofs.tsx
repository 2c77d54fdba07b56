import { passwordHint } from '@demarc/client/rules'
import { TextField, type TextFieldProps } from '../ui/index.ts'

/** Input fields for passwords and codes. */
export type TypedProof = keyof typeof proofs

const proofs = {
  password: { label: 'Password', type: 'password', name: 'password', autoComplete: 'current-password' },
  totp: {
    label: 'Authenticator code',
    hint: 'Six digits that change every 30 seconds.',
    autoComplete: 'one-time-code',
    inputMode: 'numeric',
  },
  recovery_code: {
    label: 'Recovery code',
    hint: 'One of the codes you saved when you set up the second factor. Each works once.',
    autoComplete: 'off',
  },
} as const satisfies Record<string, TextFieldProps>

export const proofLabel = (proof: TypedProof): string => proofs[proof].label

type FieldProps = Pick<TextFieldProps, 'value' | 'onChange' | 'error' | 'autoFocus'> & { label?: string }

/** The field for an existing password or a code. */
export const ProofField = ({ proof, ...rest }: FieldProps & { proof: TypedProof }) => (
  <TextField {...proofs[proof]} {...rest} />
)

/** The field for a new password. */
export const NewPasswordField = (props: FieldProps & { label: string }) => (
  <TextField {...props} type="password" autoComplete="new-password" hint={passwordHint} />
)

/** Passkey requests and responses as JSON. */

/** Whether passkeys work on this page: they need HTTPS or localhost. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

type Credential = { id: string; rawId: string; type: 'public-key'; response: Record<string, unknown> }

/** Requests a passkey assertion. Throws if the person cancels. */
export async function getPasskey(options: Record<string, unknown>): Promise<Credential> {
  // the service generates this for exactly this function
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.')
  // get() returns an assertion response
  return credential.toJSON() as unknown as Credential
}

/** Creates a passkey. Throws if the person cancels. */
export async function makePasskey(options: Record<string, unknown>): Promise<Credential> {
  // the service generates this for exactly this function
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser created no passkey.')
  // create() returns an attestation response
  return credential.toJSON() as unknown as Credential
}
