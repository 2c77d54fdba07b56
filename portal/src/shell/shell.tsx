import { Outlet, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useSeen, useSession } from '../account.ts'
import { TimeZone } from '../ui/values.tsx'
import { KeysDialog } from './keys.tsx'
import { NoAccount } from './no-account.tsx'
import { Offline } from './offline.tsx'
import { Rail } from './rail.tsx'
import css from './shell.module.css'
import { TopBar } from './top-bar.tsx'
import { loadPalette } from './when-used.ts'

const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))

/** The frame of every page that requires a session. */
export function Shell() {
  const { person } = useSession()
  const { side, membership, account_id } = useSeen()
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  // tabs use their parent's title
  const page = useMatches({ select: (matches) => matches.findLast(({ staticData: { title } }) => title !== undefined) })
  useDocumentTitle(page?.staticData.title)
  useKeys(setOpen)
  if (membership === null) return <NoAccount account_id={account_id} />
  return (
    <TimeZone value={person.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}>
      <div className={css.shell}>
        <a className={css.skip} href="#page">
          Skip to content
        </a>
        <Rail side={side} />
        <div className={css.beside}>
          <TopBar onSearch={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
          <Offline />
          <main id="page" className={css.page} tabIndex={-1} key={page?.pathname}>
            <Outlet />
          </main>
        </div>
      </div>
      {/* until its code is there, what is typed is meant for it, and not for the keys of the page */}
      <Suspense fallback={<div role="dialog" aria-label="Search" aria-busy="true" />}>
        {open === 'palette' && <Palette side={side} onClose={() => setOpen(null)} onKeys={() => setOpen('keys')} />}
      </Suspense>
      {open === 'keys' && <KeysDialog onClose={() => setOpen(null)} />}
    </TimeZone>
  )
}

/** The browser tab's title. */
function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'Demarc' : `${title} · Demarc`
  }, [title])
}

/** ⌘K, Ctrl-K, or `/` opens the palette; `?` shows the shortcuts. */
function useKeys(open: (what: 'palette' | 'keys') => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, select, [contenteditable]') !== null
      const palette =
        (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !typing)
      if (!palette && (event.key !== '?' || typing)) return
      event.preventDefault()
      open(palette ? 'palette' : 'keys')
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [open])
}
