import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Soft } from '../ui/soft.tsx'

const pathTo = (return_to: string) => `/v2/sign_in/openid?return_to=${encodeURIComponent(return_to)}`

/** Leads to the identity provider, and from there to `return_to`. */
export const OpenIdButton = ({ name, return_to }: { name: string; return_to: string }) => (
  <Button onPress={() => location.assign(pathTo(return_to))}>Sign in with {name}</Button>
)

/** Leads there in a window of its own, so that this page stays as it is: `done.tsx` is where that window ends. */
export function OpenIdWindowButton({ name }: { name: string }) {
  const [state, setState] = useState<'open' | 'blocked' | null>(null)
  const openWindow = () => {
    const opened = window.open(pathTo('/sign-in/done'), 'demarc-sign-in', 'popup,width=520,height=720')
    setState(opened === null ? 'blocked' : 'open')
  }
  return (
    <Stack gap="narrow">
      <Button onPress={openWindow}>Sign in with {name}</Button>
      {state === null && <Soft as="p">Opens a window of {name}. This page stays as it is.</Soft>}
      {state === 'open' && (
        <div role="status">
          <Soft as="p">Sign in in the window of {name}. This page then goes on by itself.</Soft>
        </div>
      )}
      {state === 'blocked' && <Blocked name={name} />}
    </Stack>
  )
}

/** Nothing is left without a warning. */
const Blocked = ({ name }: { name: string }) => (
  <>
    <Problem
      refusal={{
        title: 'Your browser opened no window.',
        findings: [],
        remedy: `Allow this page to open windows, then press the button again. You can also sign in with ${name} in this window: what you typed on this page is lost then.`,
        request_id: null,
      }}
    />
    <Button kind="danger" onPress={() => location.assign(pathTo(location.pathname + location.search))}>
      Sign in here and lose what I typed
    </Button>
  </>
)
