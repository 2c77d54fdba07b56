import { NotFoundError } from '@demarc/client/light'
import { roleTexts } from '@demarc/client/rules'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { setSession } from '../account.ts'
import { fieldError, queries, refusalOf, sendOnce, type Body } from '../api.ts'
import type { Session, Unfinished } from '../session.ts'
import { Loaded } from '../shell/loaded.tsx'
import { NewPasswordField, ProofField } from '../sign-in/proofs.tsx'
import { SecondFactorForm } from '../sign-in/second-factor.tsx'
import { OutsidePage } from '../sign-in/outside.tsx'
import css from '../sign-in/sign-in.module.css'
import { Button, Form, Link, Problem, TextField, Time } from '../ui/index.ts'

/** Accepts an invitation. */
export function InvitationPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  return (
    <OutsidePage
      tab="Invitation"
      title="An invitation to Demarc"
      facts="Telephone numbers, port orders, emergency addresses, and call records."
    >
      <div className={css.panel}>
        {token === '' ? (
          <p>This link is incomplete: the part after # is missing. Copy the whole link, or ask for a new one.</p>
        ) : (
          <Invitation token={token} />
        )}
      </div>
      <p className={css.help}>
        Already joined? <Link to="/sign-in">Sign in</Link>
      </p>
    </OutsidePage>
  )
}

function Invitation({ token }: { token: string }) {
  const navigate = useNavigate()
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null)
  const invitation = useQuery({
    queryKey: ['lookUpInvitation', token],
    queryFn: () => sendOnce('lookUpInvitation', { body: { token } }),
    // an accepted invitation cannot be looked up
    staleTime: Infinity,
  })
  const enter = (session: Session) => {
    // drop everything cached for a previously signed-in person
    queries.clear()
    setSession(session)
    void navigate({ to: '/' })
  }
  if (unfinished !== null)
    return <SecondFactorForm unfinished={unfinished} onSignedIn={enter} onBack={() => setUnfinished(null)} />
  if (invitation.error instanceof NotFoundError)
    return (
      <div className={css.form} role="alert">
        <h2>This link no longer works</h2>
        <p>
          The invitation was used, withdrawn, or has expired, or the link is incomplete. If you used it yourself, sign
          in. Otherwise ask the person who invited you for a new one.
        </p>
      </div>
    )
  return (
    <Loaded query={invitation}>
      {({ data }) => <JoinForm token={token} invitation={data} onSignedIn={enter} onUnfinished={setUnfinished} />}
    </Loaded>
  )
}

interface JoinFormProps {
  token: string
  invitation: Body<'lookUpInvitation'>['data']
  onSignedIn(session: Session): void
  onUnfinished(unfinished: Unfinished): void
}

function JoinForm({ token, invitation, onSignedIn, onUnfinished }: JoinFormProps) {
  const { email, account_name, role, invited_by, expires_at, has_password, proves_email } = invitation
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () => sendOnce('acceptInvitation', { body: { token, password, ...(!has_password && { name }) } }),
    onSuccess: ({ data }) => (data.status === 'signed_in' ? onSignedIn(data.session) : onUnfinished(data)),
  })
  const passwordProps = { value: password, onChange: setPassword, error: fieldError(accept.error, 'password') }
  const missing = password === '' || (!has_password && name === '')
  return (
    <Form className={css.form} onSend={() => accept.mutate()}>
      <p>
        {invited_by} invites you, {email}, to {account_name} as <strong>{roleTexts[role].name}</strong>:{' '}
        {roleTexts[role].allows}
      </p>
      {!has_password && (
        <TextField
          label="Your name"
          autoComplete="name"
          value={name}
          onChange={setName}
          autoFocus
          error={fieldError(accept.error, 'name')}
        />
      )}
      {has_password ? (
        <ProofField proof="password" label="Your password" {...passwordProps} />
      ) : (
        <NewPasswordField label="Choose a password" {...passwordProps} />
      )}
      {accept.error !== null && fieldError(accept.error, 'password') === null && (
        <Problem refusal={refusalOf(accept.error)} />
      )}
      <Button
        type="submit"
        kind="primary"
        isPending={accept.isPending}
        disabledReason={missing ? 'Fill in the fields first.' : null}
      >
        {' '}
        Join
      </Button>
      <p className={css.help}>
        The link works once, until <Time at={expires_at} />.
        {!proves_email &&
          ` This sign-in is for ${account_name} only. If you have another one, choose a different password.`}
      </p>
    </Form>
  )
}
