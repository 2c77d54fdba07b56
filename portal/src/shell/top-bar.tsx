import { useNavigate } from '@tanstack/react-router'
import { Keyboard, LogOut, Monitor, Moon, Search, Settings, Sun } from 'lucide-react'
import { useSession } from '../account.ts'
import { IconButton } from '../ui/button.tsx'
import { Initials } from '../ui/initials.tsx'
import { Menu } from '../ui/menu.tsx'
import { AccountMenu } from './account-menu.tsx'
import { DemoClock } from './demo-clock.tsx'
import css from './shell.module.css'
import { signOut } from './sign-out.ts'
import { chooseTheme, useTheme, type Theme } from './theme.ts'

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
