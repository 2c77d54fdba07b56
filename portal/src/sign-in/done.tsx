import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sessionQuery } from '../account.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link, PrimaryLink } from '../ui/link.tsx'
import { notifySignedIn } from './elsewhere.ts'
import { OutsidePage } from './outside.tsx'
import css from './sign-in.module.css'

/** Does the page go on that I came from? Where a window ends that was opened to sign in again. */
export function SignInDonePage() {
  const session = useQuery(sessionQuery)
  const isSignedIn = session.data != null
  useEffect(() => {
    if (!isSignedIn) return
    notifySignedIn()
    // unless the browser takes it for a window of the person's own
    window.close()
  }, [isSignedIn])
  return (
    <OutsidePage
      tab="Signed in"
      title="Demarc"
      facts="Your telephone numbers: ports, routes, emergency addresses, calls."
    >
      <div className={css.panel}>
        <Loaded query={session}>
          {(person) =>
            person === null ? (
              <div className={css.form}>
                <p>Nobody is signed in in this browser.</p>
                <PrimaryLink to="/sign-in" search={{ return_to: '/sign-in/done', openid_error: undefined }}>
                  Sign in
                </PrimaryLink>
              </div>
            ) : (
              <p>You are signed in, and the page that asked for it goes on. You can close this window.</p>
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
