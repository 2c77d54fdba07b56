import type { ReactNode } from 'react'
import css from './panels.module.css'

/** A page's title, one line of facts, and its primary action. */
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

/** A titled section. */
export function Card({
  title,
  aside,
  children,
  flush = false,
}: {
  title?: ReactNode
  /** Shown at the end of the title line. */
  aside?: ReactNode
  children: ReactNode
  /** Without padding, for a list or table. */
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

/** Labeled figures. `busy`: newer figures are loading. */
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

/** An empty state: what this is, and the first step. */
export function EmptyState({ title, children, verb }: { title: string; children: ReactNode; verb?: ReactNode }) {
  return (
    <div className={css.empty}>
      <h2>{title}</h2>
      <div className={css.emptyText}>{children}</div>
      {verb !== undefined && <div className={css.verbs}>{verb}</div>}
    </div>
  )
}

/** An empty state inside an unpadded card. */
export function EmptyLine({ children }: { children: ReactNode }) {
  return <p className={css.emptyLine}>{children}</p>
}

/** The actions of a table row. */
export function RowVerbs({ children }: { children: ReactNode }) {
  return <span className={css.rowVerbs}>{children}</span>
}

/** Cards in columns if there is room. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={css.columns}>{children}</div>
}

/** A vertical stack with even spacing. */
export function Stack({ children, gap = 'wide' }: { children: ReactNode; gap?: 'wide' | 'narrow' }) {
  return <div className={gap === 'wide' ? css.stack : css.stackNarrow}>{children}</div>
}

/** A row that wraps. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={css.row}>{children}</div>
}

/** Secondary text. */
export function Soft({
  as: Tag = 'span',
  size = 'small',
  below = false,
  children,
}: {
  as?: 'span' | 'p' | 'div' | 'footer'
  size?: 'small' | 'body'
  /** On its own line in a cell. */
  below?: boolean
  children: ReactNode
}) {
  return <Tag className={`${css.soft} ${size === 'small' ? css.small : ''} ${below ? css.below : ''}`}>{children}</Tag>
}

/** Placeholder lines in the shape of the content, to avoid layout shifts. In a `Stack`, what follows it or its flush card waits for the content. */
export function Skeleton({ rows = 3, tall = false }: { rows?: number; tall?: boolean }) {
  return (
    <div className={css.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} className={tall ? css.tall : css.line} />
      ))}
    </div>
  )
}

/** A placeholder with the size of an example of the content. */
export function SkeletonLike({ children }: { children: ReactNode }) {
  return (
    <div className={css.skeleton} role="status" aria-label="Loading">
      <div className={css.like}>
        <div>{children}</div>
      </div>
    </div>
  )
}
