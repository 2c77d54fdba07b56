import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components'
import css from './tabs.module.css'
import { useLocation, useNavigate, type LinkProps } from '@tanstack/react-router'

interface TabsProps {
  label: string
  tabs: readonly { id: string; title: ReactNode; content: ReactNode }[]
  selected: string
  onSelect(id: string): void
}

/** Tabs; the current one belongs in the URL. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  return (
    <AriaTabs selectedKey={selected} onSelectionChange={(key) => onSelect(String(key))}>
      <TabList aria-label={label} className={css.list ?? ''}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className={css.tab ?? ''}>
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={css.panel ?? ''}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}

/** A tab with its own path. */
interface TabPage {
  to: NonNullable<LinkProps['to']>
  title: string
  content: ReactNode
}

/** The tab of the current path, or the first. */
export function useTabPage<const T extends readonly [TabPage, ...TabPage[]]>(tabs: T): T[number] {
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') })
  return tabs.find(({ to }) => to === path) ?? tabs[0]
}

/** Tabs with paths below the page's. */
export function TabPages({ label, tabs }: { label: string; tabs: readonly [TabPage, ...TabPage[]] }) {
  const navigate = useNavigate()
  const selected = useTabPage(tabs).to
  return (
    <Tabs
      label={label}
      selected={selected}
      onSelect={(next) => {
        const to = tabs.find((each) => each.to === next)?.to
        if (to !== undefined && to !== selected) void navigate({ to, replace: true })
      }}
      tabs={tabs.map(({ to, title, content }) => ({ id: to, title, content }))}
    />
  )
}
