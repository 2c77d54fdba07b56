import { Page } from '../shell/page.tsx'
import { Columns, Link, Stack, TabPages, useTabPage } from '../ui/index.ts'
import { Deliveries } from './deliveries.tsx'
import { Keys } from './keys.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { TestSender } from './test-sender.tsx'

const tabs = [
  { to: '/developers', title: 'Access keys', operation: 'listOwnKeys', command: undefined, content: <Keys /> },
  {
    to: '/developers/deliveries',
    title: 'Webhooks',
    operation: 'listNotifications',
    command: 'demarc webhooks list',
    content: (
      <Stack>
        <Columns>
          <SigningSecret />
          <TestSender />
        </Columns>
        <Deliveries />
      </Stack>
    ),
  },
] as const

/** How do I use the API? */
export function DevelopersPage() {
  const { operation, command } = useTabPage(tabs)
  return (
    <Page
      title="Developers"
      facts={
        <>
          Everything you can do here with numbers, orders, addresses, and calls, your programs can do with an access
          key. <Link to="/developers/reference">API reference</Link>
        </>
      }
      call={{ operation, command }}
    >
      <TabPages label="Developers" tabs={tabs} />
    </Page>
  )
}
