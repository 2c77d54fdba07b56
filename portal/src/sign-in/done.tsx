import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionQuery } from '../account.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link, PrimaryLink } from '../ui/index.ts'
import { notifySignedIn } from '../session.ts'
import { OutsidePage } from './outside.tsx'
import css from './sign-in.module.css'

/** The final page of a window that was opened to sign in again. */
export function SignInDonePage() {
  const session = useQuery(sessionQuery)
  const isSignedIn = session.data != null
  useEffect(() => {
    if (!isSignedIn) return
    notifySignedIn()
    // browsers close only windows that a script opened
    window.close()
  }, [isSignedIn])
  return (
    <OutsidePage
      tab="Signed in"
      title="Demarc"
      facts="Your telephone numbers, port orders, emergency addresses, and call records."
    >
      <div className={css.panel}>
        <Loaded query={session}>
          {(person) =>
            person === null ? (
              <div className={css.form}>
                <p>No one is signed in in this browser.</p>
                <PrimaryLink to="/sign-in" search={{ return_to: '/sign-in/done' }}>
                  Sign in
                </PrimaryLink>
              </div>
            ) : (
              <p>You’re signed in. You can close this window and continue on the previous page.</p>
            )
          }
        </Loaded>
      </div>
      <p className={css.help}>
        <Link to="/">Go to the overview</Link>
      </p>
    </OutsidePage>
  )
}
