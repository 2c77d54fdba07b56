import type { ReactNode } from 'react'
import css from './soft.module.css'

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
