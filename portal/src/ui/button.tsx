import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import {
  Button as AriaButton,
  Tooltip,
  TooltipTrigger,
  type ButtonProps as AriaButtonProps,
} from 'react-aria-components'
import css from './button.module.css'
import { toast } from './toast.tsx'

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'isDisabled'> {
  children: ReactNode
  /** `primary`: the page's main action. `danger`: destructive. `plain`: without a frame. */
  kind?: 'primary' | 'secondary' | 'danger' | 'plain'
  size?: 'normal' | 'small'
  /** Why the button is disabled. It stays focusable and shows the reason. */
  disabledReason?: string | null
}

/** A button; when disabled, it shows the reason. */
export function Button({ kind = 'secondary', size = 'normal', disabledReason = null, children, ...rest }: ButtonProps) {
  const className = `${css.button} ${css[kind]} ${size === 'small' ? css.small : ''}`
  if (disabledReason === null)
    return (
      <AriaButton {...rest} className={className}>
        {children}
      </AriaButton>
    )
  return (
    <TooltipTrigger delay={200}>
      {/* a touch screen shows no tooltip */}
      <AriaButton
        {...rest}
        type="button"
        className={className}
        aria-disabled="true"
        onPress={() => toast(disabledReason)}
      >
        {children}
      </AriaButton>
      <Tooltip className={css.tooltip ?? ''} offset={6}>
        {disabledReason}
      </Tooltip>
    </TooltipTrigger>
  )
}

/** An icon button with its name as label and tooltip. */
export function IconButton({
  name,
  icon,
  ...rest
}: Omit<AriaButtonProps, 'children' | 'className'> & { name: string; icon: ReactNode }) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...rest} className={`${css.button} ${css.icon}`} aria-label={name}>
        {icon}
      </AriaButton>
      <Tooltip className={css.tooltip ?? ''} offset={6}>
        {name}
      </Tooltip>
    </TooltipTrigger>
  )
}

/** A row's action; `of` names the row for screen readers. */
export const RowVerb = ({ verb, of, ...rest }: Omit<ButtonProps, 'children'> & { verb: string; of: string }) => (
  <Button size="small" aria-label={`${verb} ${of}`} {...rest}>
    {verb}
  </Button>
)

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
