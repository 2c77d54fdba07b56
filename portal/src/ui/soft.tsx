import type { ReactNode } from 'react'
import css from './soft.module.css'

/** What explains or completes something else: quieter than what it stands beside. */
export function Soft({
  as: Tag = 'span',
  size = 'small',
  below = false,
  children,
}: {
  as?: 'span' | 'p' | 'div' | 'footer'
  size?: 'small' | 'body'
  /** On a line of its own, in a cell below what it explains. */
  below?: boolean
  children: ReactNode
}) {
  return <Tag className={`${css.soft} ${size === 'small' ? css.small : ''} ${below ? css.below : ''}`}>{children}</Tag>
}
