import type { ReactNode } from 'react'
import css from './panels.module.css'

interface PageHeadProps {
  title: ReactNode
  facts?: ReactNode
  verb?: ReactNode
  before?: ReactNode
}

/** A page's title, one line of facts, and its primary action. */
export function PageHead({ title, facts, verb, before }: PageHeadProps) {
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

interface CardProps {
  title?: ReactNode
  /** Shown at the end of the title line. */
  aside?: ReactNode
  children: ReactNode
  /** Without padding, for a list or table. */
  flush?: boolean
}

/** A titled section. */
export function Card({ title, aside, children, flush = false }: CardProps) {
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

type Fact = readonly [name: string, value: ReactNode]

/** Names and values; false for a fact that doesn't apply. */
export function Facts({ facts }: { facts: readonly (Fact | false)[] }) {
  return (
    <dl className={css.factList}>
      {facts
        .filter((fact) => fact !== false)
        .map(([name, value]) => (
          <div key={name} className={css.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

interface FiguresProps {
  figures: readonly Fact[]
  busy?: boolean
}

/** Labeled figures. `busy`: newer figures are loading. */
export function Figures({ figures, busy }: FiguresProps) {
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

interface FormProps {
  className?: string | undefined
  /** Why it can't be sent yet, by Enter in a field either. */
  disabledReason?: string | null
  onSend(): void
  children: ReactNode
}

/** A form, which the page sends and not the browser. */
export function Form({ className, disabledReason = null, onSend, children }: FormProps) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        if (disabledReason === null) onSend()
      }}
    >
      {children}
    </form>
  )
}

const gaps = { wide: css.stack, narrow: css.stackNarrow, tight: css.stackTight } as const

interface StackProps {
  as?: 'div' | 'ol' | 'ul'
  gap?: keyof typeof gaps
  'aria-label'?: string
  children: ReactNode
}

/** A vertical stack with even spacing. */
export const Stack = ({ as: Tag = 'div', gap = 'wide', ...rest }: StackProps) => <Tag {...rest} className={gaps[gap]} />

/** A row that wraps. `apart`: its parts are at both ends. */
export function Row({ children, apart = false }: { children: ReactNode; apart?: boolean }) {
  return <div className={`${css.row} ${apart ? css.apart : ''}`}>{children}</div>
}

/** A list in an unpadded card, with a line between entries. */
export function Lines({ children }: { children: ReactNode }) {
  return <ul className={css.lines}>{children}</ul>
}

interface SoftProps {
  as?: 'span' | 'p' | 'div' | 'footer'
  size?: 'small' | 'body'
  /** On its own line in a cell. */
  below?: boolean
  children: ReactNode
}

/** Secondary text. */
export function Soft({ as: Tag = 'span', size = 'small', below = false, children }: SoftProps) {
  return <Tag className={`${css.soft} ${size === 'small' ? css.small : ''} ${below ? css.below : ''}`}>{children}</Tag>
}

/** A cell with a second line. */
export function TwoLines({ below, children }: { below: ReactNode; children: ReactNode }) {
  return (
    <>
      {children}
      <Soft below>{below}</Soft>
    </>
  )
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
