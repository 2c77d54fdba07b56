import { useState } from 'react'
import { Button, Problem, Soft, Stack } from '../ui/index.ts'

const pathTo = (return_to: string) => `/v2/sign_in/openid?return_to=${encodeURIComponent(return_to)}`

/** Goes to the identity provider, which returns to `return_to`. */
export const OpenIdButton = ({ name, return_to }: { name: string; return_to: string }) => (
  <Button onPress={() => location.assign(pathTo(return_to))}>Sign in with {name}</Button>
)

/** Opens the identity provider in a new window, which ends at `done.tsx`, so this page keeps its state. */
export function OpenIdWindowButton({ name }: { name: string }) {
  const [state, setState] = useState<'open' | 'blocked' | null>(null)
  const openWindow = () => {
    const opened = window.open(pathTo('/sign-in/done'), 'demarc-sign-in', 'popup,width=520,height=720')
    setState(opened === null ? 'blocked' : 'open')
  }
  return (
    <Stack gap="narrow">
      <Button onPress={openWindow}>Sign in with {name}</Button>
      {state === null && <Soft as="p">Opens a new window for {name}. This page stays open.</Soft>}
      {state === 'open' && (
        <div role="status">
          <Soft as="p">Sign in in the window for {name}. This page continues automatically.</Soft>
        </div>
      )}
      {state === 'blocked' && <Blocked name={name} />}
    </Stack>
  )
}

/** Warns before leaving the page. */
const Blocked = ({ name }: { name: string }) => (
  <>
    <Problem
      refusal={{
        title: 'Your browser blocked the window.',
        findings: [],
        remedy: `Allow pop-ups for this page, then press the button again. You can also sign in with ${name} in this window, but you’ll lose your input on this page.`,
        request_id: null,
      }}
    />
    <Button kind="danger" onPress={() => location.assign(pathTo(location.pathname + location.search))}>
      Sign in here and discard my input
    </Button>
  </>
)
