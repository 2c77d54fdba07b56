import type { ReactNode } from 'react'
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
  /** `primary`: the page's one verb. `danger`: it ends something. `plain`: without a frame, beside others. */
  kind?: 'primary' | 'secondary' | 'danger' | 'plain'
  size?: 'normal' | 'small'
  /** Why it cannot be done now, as a sentence. The button can still be focused, and says it. */
  disabledReason?: string | null
}

/** A button. One that cannot be used says why. */
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

/** A button that is an icon; its name is read out, and shown where the pointer rests. */
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
