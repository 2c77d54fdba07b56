import { useState, type ReactElement } from 'react'
import {
  Autocomplete,
  Button,
  Dialog,
  DialogTrigger,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Popover,
  SearchField,
} from 'react-aria-components'
import { ChevronsUpDown } from 'lucide-react'
import fieldCss from './field.module.css'
import css from './menu.module.css'
import type { MenuEntry } from './menu.tsx'

type Sections = readonly { title: string; entries: readonly MenuEntry[] }[]

interface SearchMenuProps {
  trigger: ReactElement
  label: string
  placeholder: string
  text: string
  onText(text: string): void
  /** The results for the text, and fixed entries. */
  sections: Sections
}

/** A searchable menu below a button. */
export function SearchMenu({ trigger, label, placeholder, text, onText, sections }: SearchMenuProps) {
  const [open, setOpen] = useState(false)
  const toggle = (next: boolean) => {
    setOpen(next)
    if (!next) onText('')
  }
  return (
    <DialogTrigger isOpen={open} onOpenChange={toggle}>
      {trigger}
      <Popover className={css.popover ?? ''} offset={4}>
        <Dialog aria-label={label} className={css.dialog ?? ''}>
          <Autocomplete inputValue={text} onInputChange={onText}>
            <SearchField aria-label={placeholder} className={css.searchField ?? ''} autoFocus>
              <Input className={css.search ?? ''} placeholder={placeholder} />
            </SearchField>
            <Found label={label} sections={sections} onDone={() => toggle(false)} />
          </Autocomplete>
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

/** A field whose value is chosen in a searchable menu. */
export function SearchSelect({ shown, ...menu }: Omit<SearchMenuProps, 'trigger'> & { shown: string }) {
  const trigger = (
    <Button className={fieldCss.selectButton ?? ''} aria-label={`${menu.label}: ${shown}. Change`}>
      <span>{shown}</span>
      <ChevronsUpDown aria-hidden="true" />
    </Button>
  )
  return (
    <div className={fieldCss.field}>
      <span className={fieldCss.label}>{menu.label}</span>
      <SearchMenu {...menu} trigger={trigger} />
    </div>
  )
}

function Found({ label, sections, onDone }: { label: string; sections: Sections; onDone(): void }) {
  return (
    <Menu
      aria-label={label}
      className={css.menu ?? ''}
      renderEmptyState={() => <p className={css.none}>No results.</p>}
    >
      {sections
        .filter(({ entries }) => entries.length > 0)
        .map(({ title, entries }) => (
          <MenuSection key={title} aria-label={title}>
            <Header className={css.title}>{title}</Header>
            {entries.map((entry) => (
              <MenuItem
                key={entry.id}
                id={entry.id}
                textValue={entry.label}
                className={css.item ?? ''}
                onAction={() => {
                  onDone()
                  entry.onAction()
                }}
              >
                <span className={css.text}>
                  {entry.label}
                  {entry.hint !== undefined && <span className={css.hint}>{entry.hint}</span>}
                </span>
              </MenuItem>
            ))}
          </MenuSection>
        ))}
    </Menu>
  )
}
