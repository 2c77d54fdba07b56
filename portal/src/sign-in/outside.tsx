import { useEffect, type ReactNode } from 'react'
import css from './sign-in.module.css'

interface OutsidePageProps {
  /** The browser tab's title, before the product name. */
  tab: string
  title: string
  facts: string
  children: ReactNode
}

/** The frame of pages that don't require a session. */
export function OutsidePage({ tab, title, facts, children }: OutsidePageProps) {
  useEffect(() => {
    document.title = `${tab} · Demarc`
  }, [tab])
  return (
    <main className={css.page}>
      <header className={css.brand}>
        <img src="/icon.svg" alt="" width="40" height="40" />
        <div>
          <h1>{title}</h1>
          <p>{facts}</p>
        </div>
      </header>
      {children}
    </main>
  )
}
