import { openIdRefusals } from '@demarc/client/rules'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { setSession } from '../account.ts'
import { Problem } from '../ui/problem.tsx'
import { notifySignedIn } from './elsewhere.ts'
import { SignInForm } from './form.tsx'
import { OutsidePage } from './outside.tsx'
import css from './sign-in.module.css'

/** The page for somebody who is not signed in. */
export function SignInPage() {
  const { return_to, openid_error } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  return (
    <OutsidePage
      tab="Sign in"
      title="Demarc"
      facts="Your telephone numbers: ports, routes, emergency addresses, calls."
    >
      {openid_error !== undefined && (
        <Problem
          refusal={{
            title: 'Your identity provider did not sign you in.',
            findings: [{ field: null, message: openIdText(openid_error) }],
            remedy: 'Try again, or sign in with a password.',
            request_id: null,
          }}
        />
      )}
      <div className={css.panel}>
        <SignInForm
          return_to={inPortal(return_to)}
          onSignedIn={(session) => {
            setSession(session)
            notifySignedIn()
            void navigate({ href: inPortal(return_to) })
          }}
        />
      </div>
      <p className={css.help}>
        Programs sign in with keys: <a href="/docs">API documentation</a>
      </p>
    </OutsidePage>
  )
}

/** A path of this portal: a link to the sign-in page must not lead elsewhere. */
const inPortal = (path: string | undefined): string => (path !== undefined && /^\/(?![/\\])/.test(path) ? path : '/')

/** The sentence of a refusal. Anything else in the address is not shown: anybody can write a link with a sentence in it. */
function openIdText(given: string): string {
  const known = Object.entries(openIdRefusals).find(([name]) => name === given)
  return known ? known[1] : openIdRefusals.refused
}
