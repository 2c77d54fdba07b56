import { passwordHint } from '@demarc/client/rules'
import { TextField, type TextFieldProps } from '../ui/field.tsx'

/** What somebody types to prove who they are. */
export type TypedProof = keyof typeof proofs

const proofs = {
  password: { label: 'Password', type: 'password', name: 'password', autoComplete: 'current-password' },
  totp: {
    label: 'Code of your authenticator app',
    hint: 'Six digits, which change every 30 seconds.',
    autoComplete: 'one-time-code',
    inputMode: 'numeric',
  },
  recovery_code: {
    label: 'Recovery code',
    hint: 'One of those that you kept when you set up the second factor. Each works once.',
    autoComplete: 'off',
  },
} as const satisfies Record<string, TextFieldProps>

export const proofLabel = (proof: TypedProof): string => proofs[proof].label

type FieldProps = Pick<TextFieldProps, 'value' | 'onChange' | 'error' | 'autoFocus'> & { label?: string }

/** The field for a password that somebody has, or for a code. */
export const ProofField = ({ proof, ...rest }: FieldProps & { proof: TypedProof }) => (
  <TextField {...proofs[proof]} {...rest} />
)

/** The field for a password that somebody chooses. */
export const NewPasswordField = (props: FieldProps & { label: string }) => (
  <TextField {...props} type="password" autoComplete="new-password" hint={passwordHint} />
)
