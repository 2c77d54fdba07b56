import { useEffect, type ReactNode } from 'react'
import css from './sign-in.module.css'

/** What is around a page for somebody who is not signed in. */
export function OutsidePage({
  tab,
  title,
  facts,
  children,
}: {
  /** What the browser's tab says before the name of the product. */
  tab: string
  title: string
  facts: string
  children: ReactNode
}) {
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
