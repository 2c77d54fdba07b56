import { useSeen, useSession } from '../account.ts'
import { Page } from '../shell/page.tsx'
import { TabPages, useTabPage } from '../ui/index.ts'
import { Notices } from './notices.tsx'
import { People } from './people.tsx'
import { SignIn } from './sign-in.tsx'

const tabs = [
  { to: '/settings', title: 'People', operation: 'listPeople', content: <People /> },
  { to: '/settings/sign-in', title: 'Sign-in', operation: 'listSessions', content: <SignIn /> },
  { to: '/settings/notices', title: 'Notifications', operation: 'listNotices', content: <Notices /> },
] as const

/** Who has access, how do I sign in, and what am I notified about? */
export function SettingsPage() {
  const { membership, side } = useSeen()
  const { person } = useSession()
  const { operation } = useTabPage(tabs)
  const whose = side === 'operator' ? 'the operator' : (membership?.account_name ?? 'this account')
  return (
    <Page title="Settings" facts={`Access to ${whose}. You’re signed in as ${person.email}.`} call={{ operation }}>
      <TabPages label="Settings" tabs={tabs} />
    </Page>
  )
}
