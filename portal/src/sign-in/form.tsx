import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { fieldError, refusalOf, sendOnce, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import type { Session, SignInOptions, SignInResult, Unfinished } from '../session.ts'
import { Button, Form, Initials, Problem, Stack, TextField } from '../ui/index.ts'
import { roleTexts } from '@demarc/client/rules'
import { OpenIdButton, OpenIdWindowButton } from './openid.tsx'
import { ProofField, getPasskey, passkeysWork } from './proofs.tsx'
import { SecondFactorForm } from './second-factor.tsx'
import css from './sign-in.module.css'

interface SignInFormProps {
  onSignedIn(session: Session): void
  /** The known email address, when signing in again. */
  email?: string
  /** Where the identity provider returns to; null opens it in another window and keeps this page. */
  return_to: string | null
}

/** All sign-in methods the service offers. */
export function SignInForm({ onSignedIn, email = '', return_to }: SignInFormProps) {
  const options = useRead('getSignInOptions', {}, { staleTime: Infinity })
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null)
  const proceed = (result: SignInResult) => {
    if (result.status === 'signed_in') onSignedIn(result.session)
    else setUnfinished(result)
  }
  if (unfinished !== null)
    return <SecondFactorForm unfinished={unfinished} onSignedIn={onSignedIn} onBack={() => setUnfinished(null)} />
  return (
    <Loaded query={options}>
      {({ data }) => (
        <div className={css.ways}>
          {data.demo_people.length > 0 && <DemoPeople people={data.demo_people} onSignedIn={onSignedIn} />}
          <Stack>
            <PasswordForm email={email} onResult={proceed} />
            <OtherWays openid={data.openid} return_to={return_to} onSignedIn={onSignedIn} />
          </Stack>
        </div>
      )}
    </Loaded>
  )
}

function PasswordForm({ email: known, onResult }: { email: string; onResult(result: SignInResult): void }) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => sendOnce('signIn', { body: { email, password } }),
    onSuccess: ({ data }) => onResult(data),
  })
  return (
    <Form className={css.form} onSend={() => signIn.mutate()}>
      {signIn.error !== null && <Problem refusal={refusalOf(signIn.error)} />}
      <TextField
        label="Email address"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        error={fieldError(signIn.error, 'email')}
      />
      <ProofField
        proof="password"
        value={password}
        onChange={setPassword}
        error={fieldError(signIn.error, 'password')}
      />
      <Button
        type="submit"
        kind="primary"
        isPending={signIn.isPending}
        disabledReason={email === '' || password === '' ? 'Enter your email address and password.' : null}
      >
        Sign in
      </Button>
    </Form>
  )
}

function OtherWays({
  openid,
  return_to,
  onSignedIn,
}: Pick<SignInFormProps, 'return_to' | 'onSignedIn'> & { openid: SignInOptions['openid'] }) {
  const passkey = useMutation({
    mutationFn: async () => {
      const { data } = await sendOnce('beginPasskeySignIn')
      const credential = await getPasskey(data.passkey_options)
      return await sendOnce('confirmSignIn', { body: { ticket: data.ticket, passkey: credential } })
    },
    onSuccess: ({ data }) => onSignedIn(data.session),
  })
  if (openid === null && !passkeysWork()) return null
  return (
    <div className={css.others}>
      <span className={css.or}>or</span>
      {passkey.error !== null && <Problem refusal={refusalOf(passkey.error)} />}
      {passkeysWork() && (
        <Button onPress={() => passkey.mutate()} isPending={passkey.isPending}>
          <KeyRound aria-hidden="true" />
          Sign in with a passkey
        </Button>
      )}
      {openid !== null &&
        (return_to === null ? (
          <OpenIdWindowButton name={openid.name} />
        ) : (
          <OpenIdButton name={openid.name} return_to={return_to} />
        ))}
    </div>
  )
}

interface DemoPeopleProps {
  people: SignInOptions['demo_people']
  onSignedIn(session: Session): void
}

/** One-click sign-in as a demo person. */
function DemoPeople({ people, onSignedIn }: DemoPeopleProps) {
  const signIn = useMutation({
    mutationFn: (person_id: string) => sendOnce('signInAsDemoPerson', { body: { person_id } }),
    onSuccess: ({ data }) => onSignedIn(data.session),
  })
  return (
    <section className={css.cast} aria-label="Demo users">
      <h2>Explore as a demo user</h2>
      {signIn.error !== null && <Problem refusal={refusalOf(signIn.error)} />}
      <ul>
        {people.map(({ id, name, account_name, role, story }) => (
          <li key={id}>
            <PersonButton name={name} onPress={() => signIn.mutate(id)}>
              <strong>{name}</strong>
              <span className={css.role}>
                {account_name === null ? '' : `${account_name}, `}
                {roleTexts[role].name}
              </span>
              <span className={css.story}>{story}</span>
            </PersonButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

const PersonButton = ({ name, onPress, children }: { name: string; onPress(): void; children: ReactNode }) => (
  <button type="button" className={css.person} onClick={onPress}>
    <Initials name={name} />
    <span className={css.personWords}>{children}</span>
  </button>
)
