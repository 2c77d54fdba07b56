import { useNavigate, useSearch } from '@tanstack/react-router'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { PageHead, Stack } from '../ui/panels.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Deliveries } from './deliveries.tsx'
import { Keys } from './keys.tsx'
import { developersTabs } from './search.ts'
import { SigningSecret } from './signing-secret.tsx'
import { TestSender } from './test-sender.tsx'

/** How do I automate this? */
export function DevelopersPage() {
  const { part = 'keys' } = useSearch({ from: '/signed-in/developers' })
  const navigate = useNavigate()
  return (
    <Stack>
      <PageHead
        title="Developers"
        facts={
          <>
            Whatever these pages do, a program can do with an access key. <a href="/docs">API documentation</a>
          </>
        }
        verb={
          part === 'keys' ? (
            <ShowAsApiCall operation="listNumbers" command="demarc numbers list" />
          ) : (
            <ShowAsApiCall operation="listNotifications" command="demarc webhooks list" />
          )
        }
      />
      <Tabs
        label="Developers"
        selected={part}
        onSelect={(next) =>
          void navigate({
            to: '/developers',
            search: { part: developersTabs.find((each) => each === next) },
            replace: true,
          })
        }
        tabs={[
          { id: 'keys', title: 'Access keys', content: <Keys /> },
          {
            id: 'webhooks',
            title: 'Webhooks',
            content: (
              <Stack>
                <Deliveries />
                <TestSender />
                <SigningSecret />
              </Stack>
            ),
          },
        ]}
      />
    </Stack>
  )
}
