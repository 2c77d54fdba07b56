import { ConnectionError } from '@demarc/client/light'
import { useEffect, useState } from 'react'
import { setSession } from '../account.ts'
import { queries, sendOnce } from '../api.ts'
import { endSignInAgain, sessionKey, whenSignedInElsewhere, type Session } from '../session.ts'
import { Button, Dialog } from '../ui/index.ts'
import { SignInForm } from './form.tsx'
import css from './sign-in.module.css'

/** Opens over the page when the session has expired. Input is kept, and pending requests are sent again. */
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
          ? 'Your session has ended. Sign in to continue; your input is still here.'
          : `This browser is now signed in as ${other}. Sign in as ${before?.name ?? 'yourself'} to continue; your input is still here.`}
      </p>
      <SignInForm email={before?.email ?? ''} return_to={null} onSignedIn={goOn} />
    </Dialog>
  )
}

function leave(): void {
  endSignInAgain(false)
  // a full page load clears the other person's data
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

/** Resumes if the same person is signed in; otherwise returns the name of the one who is. */
async function signedInElsewhere(): Promise<string | null> {
  try {
    const { data } = await sendOnce('getSession')
    if (data === null) return null
    if (isAnother(data)) return data.person.name
    goOn(data)
  } catch (error) {
    // the dialog stays open if the service doesn't respond
    if (!(error instanceof ConnectionError)) throw error
  }
  return null
}
