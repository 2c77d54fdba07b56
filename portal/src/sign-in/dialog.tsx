import { ConnectionError, UnauthorizedError } from '@demarc/client/light'
import { useEffect, useState } from 'react'
import { setSession } from '../account.ts'
import { queries, sendOnce } from '../api.ts'
import { endSignInAgain, sessionKey, type Session } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { whenSignedInElsewhere } from './elsewhere.ts'
import { SignInForm } from './form.tsx'
import css from './sign-in.module.css'

/** Opens over the page when the session has expired: what was typed stays, and what was sent is sent again. */
export function SignInDialog() {
  const before = queries.getQueryData<Session | null>(sessionKey)?.person
  const [other, setOther] = useState<string | null>(null)
  useEffect(() => whenSignedInElsewhere(() => void signedInElsewhere().then(setOther)), [])
  return (
    <Dialog
      title="Sign in again"
      isOpen
      onClose={leave}
      dismissable={false}
      verbs={<Button onPress={leave}>Leave this page</Button>}
    >
      <p className={css.why}>
        {other === null
          ? 'Your session has ended. What you typed is still here, and goes on once you are signed in.'
          : `This browser is signed in as ${other} now. Sign in as ${before?.name ?? 'yourself'}: what you typed is still here, and goes on then.`}
      </p>
      <SignInForm email={before?.email ?? ''} return_to={null} onSignedIn={goOn} />
    </Dialog>
  )
}

function leave(): void {
  endSignInAgain(false)
  // a new page, so that nothing of somebody else's is left
  location.assign('/sign-in')
}

const isAnother = ({ person }: Session): boolean => {
  const before = queries.getQueryData<Session | null>(sessionKey)
  return before != null && before.person.id !== person.id
}

function goOn(session: Session): void {
  if (isAnother(session)) {
    location.assign('/')
    return
  }
  setSession(session)
  endSignInAgain(true)
}

/** Goes on if the same person is signed in; otherwise returns the name of the one who is. */
async function signedInElsewhere(): Promise<string | null> {
  try {
    const { data } = await sendOnce('getSession')
    if (isAnother(data)) return data.person.name
    goOn(data)
  } catch (error) {
    // the dialog stays where the other window was left without a session, or the service does not respond now
    if (!(error instanceof UnauthorizedError || error instanceof ConnectionError)) throw error
  }
  return null
}
