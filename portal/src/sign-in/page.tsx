import { openIdRefusals } from '@demarc/client/rules'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { setSession } from '../account.ts'
import { Problem } from '../ui/index.ts'
import { notifySignedIn } from '../session.ts'
import { SignInForm } from './form.tsx'
import { OutsidePage } from './outside.tsx'
import css from './sign-in.module.css'

/** The sign-in page. */
export function SignInPage() {
  const { return_to, openid_error } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  return (
    <OutsidePage
      tab="Sign in"
      title="Demarc"
      facts="Your telephone numbers, port orders, emergency addresses, and call records."
    >
      {openid_error !== undefined && (
        <Problem
          refusal={{
            title: 'Sign-in with your identity provider failed.',
            findings: [{ field: null, message: openIdText(openid_error) }],
            remedy: 'Try again or sign in with a password.',
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
        For programs: <a href="/docs">API documentation</a>
      </p>
    </OutsidePage>
  )
}

/** A path within this portal, so links to the sign-in page can't redirect elsewhere. */
const inPortal = (path: string | undefined): string => (path !== undefined && /^\/(?![/\\])/.test(path) ? path : '/')

/** The message of a known refusal. Other text in the URL is not shown, because anyone can craft such a link. */
function openIdText(code: string): string {
  const known = Object.entries(openIdRefusals).find(([name]) => name === code)
  return known ? known[1] : openIdRefusals.refused
}
