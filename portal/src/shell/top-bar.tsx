import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Keyboard, LogOut, Monitor, Moon, Search, Settings, Sun } from 'lucide-react'
import { Button as AriaButton } from 'react-aria-components'
import { setSession, useSeen, useSession } from '../account.ts'
import { q, queries, request } from '../api.ts'
import { IconButton } from '../ui/button.tsx'
import { Initials } from '../ui/initials.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { DemoClock } from './demo-clock.tsx'
import css from './shell.module.css'
import { chooseTheme, useTheme, type Theme } from './theme.ts'

/** Search, whose account is seen, the clock of the demo, and the person. */
export function TopBar({ onSearch, onKeys }: { onSearch(): void; onKeys(): void }) {
  return (
    <header className={css.top}>
      <button type="button" className={css.searchButton} onClick={onSearch}>
        <Search aria-hidden="true" />
        <span className={css.searchText}>Search numbers, orders, pages</span>
        <kbd>{navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <span className={css.spring} />
      <DemoClock />
      <AccountMenu />
      <PersonMenu onKeys={onKeys} />
    </header>
  )
}

/** Which account is seen. The operator's people may see any. */
function AccountMenu() {
  const { memberships } = useSession()
  const { account_id, membership, side } = useSeen()
  const navigate = useNavigate()
  const isOperator = memberships.some((each) => each.account_id === null)
  const accounts = useQuery({ ...q('listAccounts', { query: { limit: 50 } }), enabled: isOperator })
  const see = (account: string | undefined) => void navigate({ to: '/', search: { account } })
  const own: MenuEntry[] = memberships.map((each) => ({
    id: each.account_id ?? 'operator',
    label: each.account_name,
    onAction: () => see(each.account_id ?? undefined),
  }))
  const others: MenuEntry[] = (accounts.data?.data ?? [])
    .filter(({ id }) => !memberships.some((each) => each.account_id === id))
    .map(({ id, attributes: { name } }) => ({ id, label: name, onAction: () => see(id) }))
  const seen =
    side === 'operator'
      ? membership?.account_name
      : (own.concat(others).find(({ id }) => id === account_id)?.label ?? `Account ${account_id}`)
  if (own.length + others.length < 2) return <span className={css.account}>{seen}</span>
  return (
    <Menu
      label="Whose account is seen"
      trigger={
        <AriaButton className={css.accountButton ?? ''} aria-label={`Account: ${seen ?? ''}. Change it`}>
          <span>{seen}</span>
          <ChevronsUpDown aria-hidden="true" />
        </AriaButton>
      }
      sections={[
        { title: 'Yours', entries: own },
        ...(others.length > 0 ? [{ title: 'Accounts', entries: others }] : []),
      ]}
    />
  )
}

const themes: readonly { id: Theme; label: string; icon: typeof Sun }[] = [
  { id: 'system', label: 'Theme of the system', icon: Monitor },
  { id: 'light', label: 'Light theme', icon: Sun },
  { id: 'dark', label: 'Dark theme', icon: Moon },
]

function PersonMenu({ onKeys }: { onKeys(): void }) {
  const { person } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
  const signOut = async () => {
    await request('signOut')
    setSession(null)
    queries.clear()
    await navigate({ to: '/sign-in', search: { return_to: undefined, openid_error: undefined, account: undefined } })
  }
  return (
    <Menu
      label={person.name}
      trigger={<IconButton name={person.name} icon={<Initials name={person.name} small />} />}
      sections={[
        {
          title: `${person.name}, ${person.email}`,
          entries: themes
            .filter(({ id }) => id !== theme)
            .map(({ id, label, icon: Icon }) => ({ id, label, icon: <Icon />, onAction: () => chooseTheme(id) })),
        },
        {
          entries: [
            {
              id: 'settings',
              label: 'Settings',
              icon: <Settings />,
              onAction: () => void navigate({ to: '/settings' }),
            },
            { id: 'keys', label: 'Keyboard shortcuts', icon: <Keyboard />, onAction: onKeys },
            { id: 'sign-out', label: 'Sign out', icon: <LogOut />, onAction: () => void signOut() },
          ],
        },
      ]}
    />
  )
}
