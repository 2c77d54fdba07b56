import { passwordHint } from '@demarc/client/rules'
import { TextField, type TextFieldProps } from '../ui/field.tsx'

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
