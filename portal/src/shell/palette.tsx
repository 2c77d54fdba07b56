import { useNavigate } from '@tanstack/react-router'
import {
  BadgeCheck,
  Building2,
  Clock,
  Code,
  Download,
  Hash,
  Keyboard,
  KeyRound,
  LogOut,
  Moon,
  Siren,
  Sun,
  Truck,
  Webhook,
} from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, SearchField } from 'react-aria-components'
import { type Body, useList } from '../api.ts'
import { useIsDemo } from '../clock.ts'
import menuCss from '../ui/menu.module.css'
import { phoneText } from '../ui/text.ts'
import dialogCss from '../ui/dialog.module.css'
import { useRailPages } from './rail.tsx'
import css from './shell.module.css'
import { signOut } from '../account.ts'
import { chooseTheme } from './theme.ts'

interface Entry {
  id: string
  label: string
  hint: string
  icon: ReactNode
  onAction(): void
}

/** The command palette: finds numbers, orders, names, addresses, pages, and commands. */
export function Palette({ side, onClose, onKeys }: { side: 'account' | 'operator'; onClose(): void; onKeys(): void }) {
  const [text, setText] = useState('')
  // articles never match: `port a number`
  const words = text.trim().toLowerCase().replaceAll(/ an? /g, ' ').split(/\s+/)
  const commands = useCommands(side, onKeys).filter(({ label, hint }) =>
    words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)),
  )
  const found = useFound(side, text)
  return (
    <ModalOverlay className={dialogCss.overlay ?? ''} isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className={dialogCss.modal ?? ''}>
        <Dialog aria-label="Search" className={dialogCss.dialog ?? ''}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField
              aria-label="A number, an order, a page, or a verb"
              className={css.paletteField ?? ''}
              autoFocus
            >
              <Input className={css.paletteInput ?? ''} placeholder="Number, order, name, address, page" />
            </SearchField>
            <Menu
              aria-label="Results"
              className={css.paletteList ?? ''}
              items={[...found, ...commands]}
              renderEmptyState={() => (
                <p className={menuCss.none}>No results. Try a number in any format or the name of a page.</p>
              )}
            >
              {(entry: Entry) => (
                <MenuItem
                  textValue={entry.label}
                  className={menuCss.item ?? ''}
                  onAction={() => {
                    onClose()
                    entry.onAction()
                  }}
                >
                  {entry.icon}
                  <span className={menuCss.text}>{entry.label}</span>
                  <span className={css.paletteHint}>{entry.hint}</span>
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Pages and commands that are not in the rail. */
const linked = {
  account: [
    { label: 'Get numbers', hint: 'Command', icon: <Hash />, to: '/numbers/get' },
    { label: 'Port numbers', hint: 'Command', icon: <Truck />, to: '/port-orders/new' },
    { label: 'Add an emergency address', hint: 'Command', icon: <Siren />, to: '/e911/new' },
    { label: 'Check a file of addresses', hint: 'Command', icon: <Siren />, to: '/e911/check' },
    { label: 'Export call records', hint: 'Command', icon: <Download />, to: '/call-records' },
    { label: 'Access keys', hint: 'Page', icon: <KeyRound />, to: '/developers' },
    { label: 'Webhooks', hint: 'Page', icon: <Webhook />, to: '/developers/deliveries' },
    { label: 'API reference', hint: 'Page', icon: <Code />, to: '/developers/reference' },
  ],
  operator: [],
  demo: [{ label: 'Move the demo clock', hint: 'Command', icon: <Clock />, to: '/operator/clock' }],
} as const

/** Pages, and commands available everywhere. */
function useCommands(side: 'account' | 'operator', onKeys: () => void): Entry[] {
  const navigate = useNavigate()
  const isDemo = useIsDemo()
  const pages = useRailPages(side).map(({ path, title, icon: Icon }) => ({
    id: path,
    label: title,
    hint: 'Page',
    icon: <Icon />,
    onAction: () => void navigate({ to: path }),
  }))
  const others = [...linked[side], ...(side === 'operator' && isDemo === true ? linked.demo : [])]
  return [
    ...pages,
    ...others.map(({ to, ...rest }) => ({ ...rest, id: rest.label, onAction: () => void navigate({ to }) })),
    { id: 'light', label: 'Light theme', hint: 'Command', icon: <Sun />, onAction: () => chooseTheme('light') },
    { id: 'dark', label: 'Dark theme', hint: 'Command', icon: <Moon />, onAction: () => chooseTheme('dark') },
    { id: 'keys', label: 'Keyboard shortcuts', hint: 'Command', icon: <Keyboard />, onAction: onKeys },
    { id: 'sign-out', label: 'Sign out', hint: 'Command', icon: <LogOut />, onAction: () => void signOut() },
  ]
}

/** Search results: of the account in view, or of all accounts for the operator. */
function useFound(side: 'account' | 'operator', text: string): Entry[] {
  const navigate = useNavigate()
  const typed = searchedText(text)
  const enabled = typed.length >= 2
  const results = useList('search', { query: { q: typed } }, { enabled }).data
  if (!enabled) return []
  return (results?.data ?? []).map(({ type, id, attributes: { account_id, title, detail } }) => {
    const { hint, icon, pathOf } = kinds[type]
    const number = type === 'number' ? phoneText(id) : null
    return {
      id: `${type} ${id}`,
      label: [number ?? title, detail].filter(Boolean).join(' · '),
      hint,
      icon,
      // for the operator, links include the account
      onAction: () => void navigate({ to: pathOf(id), search: side === 'account' ? {} : { account: account_id } }),
    }
  })
}

/** Pasted text is often a link, or longer than the search accepts. */
const searchedText = (text: string): string =>
  text
    .trim()
    .replace(/^(tel|sip):/i, '')
    .slice(0, 100)

type Found = Body<'search'>['data'][number]

const kinds: Record<Found['type'], { hint: string; icon: ReactNode; pathOf(id: string): string }> = {
  number: { hint: 'Number', icon: <Hash />, pathOf: (id) => `/numbers/${id}` },
  portorder: { hint: 'Port order', icon: <Truck />, pathOf: (id) => `/port-orders/${id}` },
  cnam: { hint: 'Caller ID name', icon: <BadgeCheck />, pathOf: () => '/caller-id' },
  e911: { hint: 'E911 address', icon: <Siren />, pathOf: (id) => `/e911/${id}` },
  account: { hint: 'Account', icon: <Building2 />, pathOf: () => '/' },
}
