import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSeen, useSession } from '../account.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { PageHead, Stack } from '../ui/panels.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Notices } from './notices.tsx'
import { People } from './people.tsx'
import { settingsTabs } from './search.ts'
import { SignIn } from './sign-in.tsx'

const shown = {
  people: { operation: 'listPeople', path: '/v2/people' },
  'sign-in': { operation: 'listSessions', path: '/v2/sessions' },
  notices: { operation: 'listNotices', path: '/v2/notices' },
} as const

/** Who may do what, how do I sign in, and what am I told of? */
export function SettingsPage() {
  const { tab = 'people' } = useSearch({ from: '/signed-in/settings' })
  const navigate = useNavigate()
  const { membership, side } = useSeen()
  const { person } = useSession()
  const { operation, path } = shown[tab]
  const whose = side === 'operator' ? 'the operator' : (membership?.account_name ?? 'this account')
  return (
    <Stack>
      <PageHead
        title="Settings"
        facts={`Who may use ${whose}, and how you, ${person.email}, sign in and are told of what happens.`}
        verb={<ShowAsApiCall operation={operation} command={`demarc api GET ${path}`} />}
      />
      <Tabs
        label="Settings"
        selected={tab}
        onSelect={(next) =>
          void navigate({
            to: '/settings',
            search: (before) => ({ ...before, tab: settingsTabs.find((each) => each === next) }),
            replace: true,
          })
        }
        tabs={[
          { id: 'people', title: 'People', content: <People /> },
          { id: 'sign-in', title: 'Your sign-in', content: <SignIn /> },
          { id: 'notices', title: 'Your notices', content: <Notices /> },
        ]}
      />
    </Stack>
  )
}
