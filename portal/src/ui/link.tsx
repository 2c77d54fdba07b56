import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import css from './button.module.css'

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement>

const Anchor = ({ className, ...rest }: AnchorProps) => <a {...rest} className={`${css.link} ${className ?? ''}`} />
const ButtonAnchor = ({ className, ...rest }: AnchorProps) => (
  <a {...rest} className={`${css.button} ${css.secondary} ${className ?? ''}`} />
)
const PrimaryAnchor = ({ className, ...rest }: AnchorProps) => (
  <a {...rest} className={`${css.button} ${css.primary} ${className ?? ''}`} />
)

/** A link within the portal, with target and search typed by routes.ts. */
export const Link: LinkComponent<typeof Anchor> = createLink(Anchor)

/** A link styled as a button. */
export const LinkButton: LinkComponent<typeof ButtonAnchor> = createLink(ButtonAnchor)

/** The page's primary action, if it opens another page. */
export const PrimaryLink: LinkComponent<typeof PrimaryAnchor> = createLink(PrimaryAnchor)

/** A link whose path comes from data. */
export const PathLink = ({ to, children }: { to: string; children: ReactNode }) => (
  // the router accepts any path; only its types are limited to routes.ts
  <Link to={to as '/'}>{children}</Link>
)
