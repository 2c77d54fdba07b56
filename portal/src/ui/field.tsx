import { type ReactNode, useEffect, useRef, useState } from 'react'
import {
  Checkbox as AriaCheckbox,
  type CheckboxProps,
  FieldError,
  Input,
  Label,
  Radio,
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps,
  Text,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components'
import { Check, Minus } from 'lucide-react'
import css from './field.module.css'

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className'> {
  label: string
  /** The hint below the field. */
  hint?: ReactNode
  /** The API's error for the value; null if none. */
  error?: string | null
  placeholder?: string
  /** Multi-line. */
  rows?: number
  /** Shown at the end of the label, such as a counter. */
  aside?: ReactNode
}

/** A text field with label, hint, and error. */
export function TextField({ label, hint, error = null, placeholder, rows, aside, ...rest }: TextFieldProps) {
  return (
    <AriaTextField {...rest} className={css.field} isInvalid={error !== null} validationBehavior="aria">
      <span className={css.head}>
        <Label className={css.label}>{label}</Label>
        {aside !== undefined && <span className={css.aside}>{aside}</span>}
      </span>
      {rows === undefined ? (
        <Input className={css.input} placeholder={placeholder} />
      ) : (
        <AriaTextArea className={css.input} rows={rows} placeholder={placeholder} />
      )}
      <FieldFoot hint={hint} error={error} />
    </AriaTextField>
  )
}

/** The hint and error of a React Aria field. */
export function FieldFoot({ hint, error }: { hint?: ReactNode; error: string | null }) {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className={css.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={css.error}>{error}</FieldError>
    </>
  )
}

/** A checkbox. */
export function Checkbox({
  children,
  ...rest
}: Omit<CheckboxProps, 'children' | 'className'> & { children?: ReactNode }) {
  return (
    <AriaCheckbox {...rest} className={css.checkbox}>
      <span className={css.box} aria-hidden="true">
        <Check />
        <Minus />
      </span>
      {children !== undefined && <span>{children}</span>}
    </AriaCheckbox>
  )
}

/** A radio group. */
export function RadioGroup<V extends string>({
  label,
  options,
  onChange,
  ...rest
}: Omit<RadioGroupProps, 'children' | 'className' | 'value' | 'onChange'> & {
  label: string
  options: readonly { value: V; label: ReactNode; hint?: ReactNode }[]
  value: NoInfer<V> | null
  onChange(value: NoInfer<V>): void
}) {
  return (
    <AriaRadioGroup {...rest} onChange={choosing(options, onChange)} className={css.field}>
      <Label className={css.label}>{label}</Label>
      {options.map((each) => (
        <Radio key={each.value} value={each.value} className={css.radio}>
          <span className={css.dot} aria-hidden="true" />
          <span>
            {each.label}
            {each.hint !== undefined && <span className={css.radioHint}>{each.hint}</span>}
          </span>
        </Radio>
      ))}
    </AriaRadioGroup>
  )
}

/** Passes on the value of the chosen option. React Aria knows only its text. */
export const choosing =
  <V extends string>(options: readonly { value: V }[], onChange: (value: V) => void) =>
  (key: unknown): void => {
    const chosen = options.find(({ value }) => value === key)
    if (chosen !== undefined) onChange(chosen.value)
  }

/** Handles the arrow keys of a text field. Other keys propagate, so Escape closes the dialog. */
export const onArrows =
  (step: (by: 1 | -1) => void): NonNullable<AriaTextFieldProps['onKeyDown']> =>
  (event) => {
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else event.continuePropagation()
  }

/** Delay between the last keystroke and the request. */
const typing_ms = 120

/** The minimum interval for immediate updates: browsers limit how often the URL changes. */
const between_ms = 50

/** The text of a field during typing. `value` comes from the URL; `onChange` is called after a pause, or with each key if updates are cheap. */
export function useTyping(value: string, onChange: (value: string) => void, { each_key = false } = {}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const sent_at = useRef(0)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
    // the URL changed otherwise, such as by Back
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value, onChange])
  useEffect(() => {
    if (text === sent.current) return undefined
    const send = () => {
      sent.current = text
      sent_at.current = performance.now()
      latest.current(text)
    }
    const wait_ms = each_key ? sent_at.current + between_ms - performance.now() : typing_ms
    if (wait_ms <= 0) return send()
    const timer = setTimeout(send, wait_ms)
    return () => clearTimeout(timer)
  }, [text, each_key])
  return [text, setText] as const
}
