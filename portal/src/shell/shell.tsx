import { Outlet, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useSeen, useSession, signOut } from '../account.ts'
import { Button, Dialog, PageHead, PrimaryLink, Row, Stack, TimeZone } from '../ui/index.ts'
import { Rail } from './rail.tsx'
import css from './shell.module.css'
import { TopBar } from './top-bar.tsx'
import { loadPalette } from './when-used.ts'
import { WifiOff } from 'lucide-react'

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

/** Replaces every page if the person has no access to the account. */
export function NoAccount({ account_id }: { account_id: string | null }) {
  const { person, memberships } = useSession()
  const [own] = memberships
  const facts = `You are signed in as ${person.email}. One of the account’s owners can invite you.`
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead
          title={
            account_id === null ? 'You don’t have an account here' : `You don’t have access to account ${account_id}`
          }
          facts={facts}
        />
        <Row>
          {own !== undefined && (
            <PrimaryLink to="/" search={{ account: undefined }}>
              Go to {own.account_name}
            </PrimaryLink>
          )}
          <Button onPress={() => void signOut()}>Sign out</Button>
        </Row>
      </Stack>
    </main>
  )
}

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** A banner shown while the browser is offline. */
export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    <div role="status">
      {!isOnline && (
        <p className={css.offline}>
          <WifiOff aria-hidden="true" />
          You’re offline. The page will update when the connection is back.
        </p>
      )}
    </div>
  )
}

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl K', '⌘ K', '/'], 'Search and commands'],
  [['?'], 'Keyboard shortcuts'],
  [['Tab'], 'Next control'],
  [['Esc'], 'Close'],
]

/** Keys of the page, and keys that work everywhere. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  const ofPage = useMatches().flatMap(({ staticData }) => staticData.keys ?? [])
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className={css.keys}>
        {[...ofPage.map(([key, does]) => [[key], does] as const), ...keys].map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
