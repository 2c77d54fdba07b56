import { Search, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button as AriaButton, Input, SearchField as AriaSearchField } from 'react-aria-components'
import { Button } from './button.tsx'
import css from './filter-bar.module.css'
import { useTyping } from './field.tsx'

interface SearchFieldProps {
  label: string
  placeholder: string
  value: string
  onChange(value: string): void
}

/** A search-as-you-type field. `value` comes from the URL. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useTyping(value, onChange, { each_key: true })
  return (
    <AriaSearchField aria-label={label} value={text} onChange={setText} className={css.search ?? ''}>
      <Search aria-hidden="true" />
      <Input className={css.input ?? ''} placeholder={placeholder} />
      {text !== '' && (
        <AriaButton className={css.clear ?? ''}>
          <X aria-hidden="true" />
        </AriaButton>
      )}
    </AriaSearchField>
  )
}

interface FilterBarProps {
  children: ReactNode
  count?: ReactNode
  onClear?: (() => void) | null
}

/** Search and filters above a list. */
export function FilterBar({ children, count, onClear }: FilterBarProps) {
  return (
    <div className={css.bar} role="search">
      {children}
      {onClear != null && (
        <Button kind="plain" size="small" onPress={onClear}>
          Clear filters
        </Button>
      )}
      {count !== undefined && (
        <span className={css.count} role="status">
          {count}
        </span>
      )}
    </div>
  )
}

interface FilterChipsProps<V extends string> {
  label: string
  options: readonly { value: V; label: ReactNode }[]
  /** Null: all. */
  value: V | null
  onChange(value: V | null): void
}

/** Toggle buttons. */
export function FilterChips<V extends string>({ label, options, value, onChange }: FilterChipsProps<V>) {
  return (
    <div className={css.chips} role="group" aria-label={label}>
      {options.map((each) => (
        <button
          key={each.value}
          type="button"
          className={css.chip}
          aria-pressed={each.value === value}
          onClick={() => onChange(each.value === value ? null : each.value)}
        >
          {each.label}
        </button>
      ))}
    </div>
  )
}

interface FilterByProps<V extends string> {
  label: string
  /** The label of each value, in display order. */
  labels: Readonly<Record<V, string | { label: string }>>
  /** Undefined: all. */
  value: string | undefined
  onChange(value: V | undefined): void
}

/** Toggle buttons for the values of a URL parameter. */
export function FilterBy<V extends string>({ labels, value, onChange, ...rest }: FilterByProps<V>) {
  // Object.keys loses the type of the keys
  const values = Object.keys(labels) as V[]
  const options = values.map((each) => ({ value: each, label: textOf(labels[each]) }))
  const chosen = values.find((each) => each === value) ?? null
  return <FilterChips {...rest} options={options} value={chosen} onChange={(next) => onChange(next ?? undefined)} />
}

const textOf = (label: string | { label: string }): string => (typeof label === 'string' ? label : label.label)

interface PagerProps {
  offset?: number | undefined
  limit: number
  shown: number
  hasNext: boolean
  onChange(offset: number | undefined): void
}

/** Pagination. The first page has no offset. */
export function Pager({ offset = 0, limit, shown, hasNext, onChange }: PagerProps) {
  if (offset === 0 && !hasNext) return null
  return (
    <nav className={css.pager} aria-label="Pages of the list">
      <span className={css.count}>
        {offset + 1} to {offset + shown}
      </span>
      <Button
        size="small"
        disabledReason={offset === 0 ? 'This is the first page.' : null}
        onPress={() => onChange(offset <= limit ? undefined : offset - limit)}
      >
        Back
      </Button>
      <Button
        size="small"
        disabledReason={hasNext ? null : 'This is the last page.'}
        onPress={() => onChange(offset + limit)}
      >
        Next
      </Button>
    </nav>
  )
}
