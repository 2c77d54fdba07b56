import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Hash, Keyboard, Moon, Sun, Truck } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, SearchField } from 'react-aria-components'
import { q } from '../api.ts'
import menuCss from '../ui/menu.module.css'
import { phoneText } from '../ui/text.ts'
import dialogCss from '../ui/dialog.module.css'
import { useRailPages } from './pages.ts'
import css from './shell.module.css'
import { chooseTheme } from './theme.ts'

interface Entry {
  id: string
  label: string
  hint: string
  icon: ReactNode
  onAction(): void
}

/** Finds a page, a number, an order or a verb by what is typed or pasted. */
export function Palette({ side, onClose, onKeys }: { side: 'account' | 'operator'; onClose(): void; onKeys(): void }) {
  const [text, setText] = useState('')
  const words = text.trim().toLowerCase().split(/\s+/)
  const commands = useCommands(side, onKeys).filter(({ label, hint }) =>
    words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)),
  )
  const found = useFound(side, text)
  return (
    <ModalOverlay className={dialogCss.overlay ?? ''} isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className={dialogCss.modal ?? ''}>
        <Dialog aria-label="Search" className={dialogCss.dialog ?? ''}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label="A number, an order, a page or a verb" className={css.paletteField ?? ''} autoFocus>
              <Input className={css.paletteInput ?? ''} placeholder="A number, an order, a page or a verb" />
            </SearchField>
            <Menu
              aria-label="Found"
              className={css.paletteList ?? ''}
              items={[...found, ...commands]}
              renderEmptyState={() => (
                <p className={menuCss.none}>Nothing matches. Paste a number in any notation, or the name of a page.</p>
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

/** Pages, and verbs that every page has. */
function useCommands(side: 'account' | 'operator', onKeys: () => void): Entry[] {
  const navigate = useNavigate()
  const pages = useRailPages(side).map(({ path, title, icon: Icon }) => ({
    id: path,
    label: title,
    hint: 'Page',
    icon: <Icon />,
    onAction: () => void navigate({ to: path }),
  }))
  return [
    ...pages,
    { id: 'light', label: 'Light theme', hint: 'Verb', icon: <Sun />, onAction: () => chooseTheme('light') },
    { id: 'dark', label: 'Dark theme', hint: 'Verb', icon: <Moon />, onAction: () => chooseTheme('dark') },
    { id: 'keys', label: 'Keyboard shortcuts', hint: 'Verb', icon: <Keyboard />, onAction: onKeys },
  ]
}

/** Numbers and orders of the account that is seen. */
function useFound(side: 'account' | 'operator', text: string): Entry[] {
  const navigate = useNavigate()
  const digits = text.replace(/\D/g, '')
  const enabled = side === 'account' && text.trim().length >= 2
  const byDigits = digits.length >= 3 && !/[a-z]/i.test(text)
  const numbers = useQuery({
    ...q('listNumbers', { query: { limit: 5, ...(byDigits ? { contains: digits } : { alias: text.trim() }) } }),
    enabled,
  })
  const orders = useQuery({
    ...q('listPortOrders', { query: { limit: 5, alias: text.trim() } }),
    enabled: enabled && !byDigits,
  })
  if (!enabled) return []
  return [
    ...(numbers.data?.data ?? []).map(({ attributes: { value, alias } }) => ({
      id: value,
      label: alias === null ? phoneText(value) : `${phoneText(value)} ${alias}`,
      hint: 'Number',
      icon: <Hash />,
      onAction: () => void navigate({ to: '/numbers/$number', params: { number: value } }),
    })),
    ...(byDigits ? [] : (orders.data?.data ?? [])).map(({ id, attributes: { alias, status } }) => ({
      id: `order ${id}`,
      label: alias ?? `Port order ${id}`,
      hint: `Port order, ${status}`,
      icon: <Truck />,
      onAction: () => void navigate({ to: `/port-orders/${id}` }),
    })),
  ]
}
