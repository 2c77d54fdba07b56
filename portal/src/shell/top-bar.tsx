import { Link, useNavigate } from '@tanstack/react-router'
import { Clock, Keyboard, LogOut, Monitor, Moon, Search, Settings, Sun } from 'lucide-react'
import { useSession, signOut } from '../account.ts'
import { IconButton, Initials, Menu, Time } from '../ui/index.ts'
import { AccountMenu } from './account-menu.tsx'
import css from './shell.module.css'
import { chooseTheme, type Theme, useTheme } from './theme.ts'
import { useIsDemo, useNow } from '../clock.ts'

/** The top bar: search, account, demo clock, and the person's menu. */
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

const themes: readonly { id: Theme; label: string; icon: typeof Sun }[] = [
  { id: 'system', label: 'System theme', icon: Monitor },
  { id: 'light', label: 'Light theme', icon: Sun },
  { id: 'dark', label: 'Dark theme', icon: Moon },
]

function PersonMenu({ onKeys }: { onKeys(): void }) {
  const { person } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
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

/** The demo clock, which the operator's staff can move. */
export function DemoClock() {
  const { memberships } = useSession()
  const isOperator = memberships.some(({ account_id }) => account_id === null)
  const now = useNow()
  if (useIsDemo() !== true) return null
  const clock = (
    <>
      <Clock aria-hidden="true" />
      <span>Demo</span>
      <span className={css.clock}>
        <Time at={new Date(now).toISOString()} />
      </span>
    </>
  )
  if (!isOperator)
    return (
      <span className={css.demo} title="This is a demo. Losing carriers are simulated, and the clock can be moved.">
        {clock}
      </span>
    )
  return (
    <Link to="/operator/clock" search={{ account: undefined }} className={css.demo} title="Move the demo clock">
      {clock}
    </Link>
  )
}
