import { useLocation, useNavigate, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tabs } from '../ui/tabs.tsx'

/** A tab with its own path. */
export interface TabPage {
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
