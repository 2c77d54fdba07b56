import type { ReactElement, ReactNode } from 'react'
import { Header, Menu as AriaMenu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components'
import css from './menu.module.css'

export interface MenuEntry {
  id: string
  label: string
  hint?: string
  icon?: ReactNode
  onAction(): void
  /** Why the entry is disabled. */
  disabledReason?: string | null
}

interface MenuProps {
  trigger: ReactElement
  label: string
  sections: readonly { title?: string; entries: readonly MenuEntry[] }[]
}

/** A menu below a button; disabled entries show their reason. */
export function Menu({ trigger, sections, label }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={css.popover ?? ''} offset={4}>
        <AriaMenu
          className={css.menu ?? ''}
          aria-label={label}
          disabledKeys={sections.flatMap(({ entries }) =>
            entries.filter((e) => (e.disabledReason ?? null) !== null).map((e) => e.id),
          )}
        >
          {sections.map(({ title, entries }, i) => (
            <MenuSection key={title ?? i} aria-label={title ?? label}>
              {i > 0 && <Separator className={css.separator ?? ''} />}
              {title !== undefined && <Header className={css.title}>{title}</Header>}
              {entries.map((each) => (
                <MenuItem
                  key={each.id}
                  id={each.id}
                  textValue={each.label}
                  onAction={() => each.onAction()}
                  className={css.item ?? ''}
                >
                  {each.icon}
                  <span className={css.text}>
                    {each.label}
                    {(each.disabledReason ?? each.hint) != null && (
                      <span className={css.hint}>{each.disabledReason ?? each.hint}</span>
                    )}
                  </span>
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
