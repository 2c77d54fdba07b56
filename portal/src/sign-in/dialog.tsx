import { setSession } from '../account.ts'
import { queries } from '../api.ts'
import { endSignInAgain, sessionKey, type Session } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SignInForm } from './form.tsx'
import css from './sign-in.module.css'

/** Opens over the page when the session has expired: what was typed stays, and what was sent is sent again. */
export function SignInDialog() {
  const before = queries.getQueryData<Session | null>(sessionKey)
  const leave = () => {
    endSignInAgain(false)
    // a new page, so that nothing of somebody else's is left
    location.assign('/sign-in')
  }
  return (
    <Dialog
      title="Sign in again"
      isOpen
      onClose={leave}
      dismissable={false}
      verbs={<Button onPress={leave}>Leave this page</Button>}
    >
      <p className={css.why}>
        Your session has ended. What you typed is still here, and goes on once you are signed in.
      </p>
      <SignInForm
        email={before?.person.email ?? ''}
        return_to={location.pathname + location.search}
        onSignedIn={(session) => {
          if (before !== null && before !== undefined && before.person.id !== session.person.id) {
            location.assign('/')
            return
          }
          setSession(session)
          endSignInAgain(true)
        }}
      />
    </Dialog>
  )
}
