import { Check, ChevronDown } from 'lucide-react'
import {
  Button,
  ComboBox as AriaComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
} from 'react-aria-components'
import css from './field.module.css'
import { choosing, FieldFoot } from './field.tsx'
import menuCss from './menu.module.css'

export interface Option<V extends string = string> {
  value: V
  label: string
  /** A second line. */
  hint?: string
}

interface ChoiceProps<V extends string> {
  label: string
  options: readonly Option<V>[]
  /** Null: no selection. */
  value: NoInfer<V> | null
  hint?: string
  error?: string | null
  placeholder?: string
  /** Hides the label visually, for rows of filters. */
  hideLabel?: boolean
}

/** A select. */
export function Select<V extends string>({
  label,
  options,
  value,
  onChange,
  hint,
  error = null,
  placeholder = 'Select',
  hideLabel = false,
}: ChoiceProps<V> & { onChange(value: NoInfer<V>): void }) {
  return (
    <AriaSelect
      className={css.field}
      value={value}
      onChange={choosing(options, onChange)}
      isInvalid={error !== null}
      validationBehavior="aria"
      placeholder={placeholder}
    >
      <Label className={hideLabel ? css.hidden : css.label}>{label}</Label>
      <Button className={css.selectButton ?? ''}>
        <SelectValue>{({ selectedText }) => selectedText ?? placeholder}</SelectValue>
        <ChevronDown aria-hidden="true" />
      </Button>
      <FieldFoot hint={hint} error={error} />
      <Options options={options} />
    </AriaSelect>
  )
}

/** A combo box that filters while typing. */
export function ComboBox<V extends string>({
  label,
  options,
  value,
  onChange,
  hint,
  error = null,
  placeholder,
}: ChoiceProps<V> & { onChange(value: NoInfer<V> | null): void }) {
  return (
    <AriaComboBox
      className={css.field}
      value={value}
      onChange={(key) => (key === null ? onChange(null) : choosing(options, onChange)(key))}
      isInvalid={error !== null}
      validationBehavior="aria"
      menuTrigger="focus"
    >
      <Label className={css.label}>{label}</Label>
      <span className={css.comboBox}>
        <Input className={css.input ?? ''} placeholder={placeholder} />
        <Button className={css.comboButton ?? ''}>
          <ChevronDown aria-hidden="true" size={16} />
        </Button>
      </span>
      <FieldFoot hint={hint} error={error} />
      <Options options={options} />
    </AriaComboBox>
  )
}

function Options({ options }: { options: readonly Option[] }) {
  return (
    <Popover className={menuCss.popover ?? ''} offset={4}>
      <ListBox
        className={menuCss.menu ?? ''}
        items={options}
        renderEmptyState={() => <p className={menuCss.none}>No results.</p>}
      >
        {({ value, label, hint }) => (
          <ListBoxItem id={value} textValue={label} className={menuCss.item ?? ''}>
            <span className={menuCss.text}>
              {label}
              {hint !== undefined && <span className={menuCss.hint}>{hint}</span>}
            </span>
            <Check className={menuCss.check} aria-hidden="true" />
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  )
}
