import type { ReactNode } from 'react'
import css from './panels.module.css'

/** The head of a page: what it is, one line of the facts that matter, and its primary verb. */
export function PageHead({
  title,
  facts,
  verb,
  before,
}: {
  title: ReactNode
  facts?: ReactNode
  verb?: ReactNode
  before?: ReactNode
}) {
  return (
    <header className={css.pageHead}>
      <div className={css.pageWords}>
        {before !== undefined && <div className={css.before}>{before}</div>}
        <h1>{title}</h1>
        {facts !== undefined && <div className={css.facts}>{facts}</div>}
      </div>
      {verb !== undefined && <div className={css.verbs}>{verb}</div>}
    </header>
  )
}

/** Facts that belong together, below their title. */
export function Card({
  title,
  aside,
  children,
  flush = false,
}: {
  title?: ReactNode
  /** At the end of the title's line: a verb or a state. */
  aside?: ReactNode
  children: ReactNode
  /** Without inner space, for a list or a table. */
  flush?: boolean
}) {
  return (
    <section className={css.card}>
      {title !== undefined && (
        <header className={css.cardHead}>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      <div className={flush ? css.flush : css.cardBody}>{children}</div>
    </section>
  )
}

/** Names and values. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={css.factList}>
      {facts.map(([name, value]) => (
        <div key={name} className={css.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A few figures that matter, each below its name. `busy`: newer ones are on their way. */
export function Figures({
  figures,
  busy,
}: {
  figures: readonly (readonly [name: string, value: ReactNode])[]
  busy?: boolean
}) {
  return (
    <dl className={css.figures} aria-live={busy === undefined ? undefined : 'polite'} aria-busy={busy}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Where there is nothing yet: what this is, the first step, and where to read on. */
export function EmptyState({ title, children, verb }: { title: string; children: ReactNode; verb?: ReactNode }) {
  return (
    <div className={css.empty}>
      <h2>{title}</h2>
      <div className={css.emptyText}>{children}</div>
      {verb !== undefined && <div className={css.verbs}>{verb}</div>}
    </div>
  )
}

/** In a card without inner space, where a list has nothing: what would be here. */
export function EmptyLine({ children }: { children: ReactNode }) {
  return <p className={css.emptyLine}>{children}</p>
}

/** What can be done with a row of a table. */
export function RowVerbs({ children }: { children: ReactNode }) {
  return <span className={css.rowVerbs}>{children}</span>
}

/** Cards beside each other where there is room. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={css.columns}>{children}</div>
}

/** What stands on a page, with even distances. */
export function Stack({ children, gap = 'wide' }: { children: ReactNode; gap?: 'wide' | 'narrow' }) {
  return <div className={gap === 'wide' ? css.stack : css.stackNarrow}>{children}</div>
}

/** Beside each other, wrapped where there is no room. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={css.row}>{children}</div>
}
