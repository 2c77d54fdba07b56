import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import buttonCss from './button.module.css'
import css from './link.module.css'

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement>

const Anchor = ({ className, ...rest }: AnchorProps) => <a {...rest} className={`${css.link} ${className ?? ''}`} />
const ButtonAnchor = ({ className, ...rest }: AnchorProps) => (
  <a {...rest} className={`${buttonCss.button} ${buttonCss.secondary} ${className ?? ''}`} />
)
const PrimaryAnchor = ({ className, ...rest }: AnchorProps) => (
  <a {...rest} className={`${buttonCss.button} ${buttonCss.primary} ${className ?? ''}`} />
)

/** A link to another page of the portal; its target and its search are typed by routes.tsx. */
export const Link: LinkComponent<typeof Anchor> = createLink(Anchor)

/** A link that looks like a button: a verb that begins on another page. */
export const LinkButton: LinkComponent<typeof ButtonAnchor> = createLink(ButtonAnchor)

/** The page's primary verb, where it begins on another page. */
export const PrimaryLink: LinkComponent<typeof PrimaryAnchor> = createLink(PrimaryAnchor)

/** A link to a path that is made from data. */
export const PathLink = ({ to, children }: { to: string; children: ReactNode }) => (
  // the router takes any path; only its types are those of routes.ts
  <Link to={to as '/'}>{children}</Link>
)
