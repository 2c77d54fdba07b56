import { use, useCallback, useState } from 'react'
import type { CdrFilterInput } from '@demarc/client'
import { Checkbox, TextField, useTyping } from '../ui/field.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { Card, Stack, Soft } from '../ui/panels.tsx'
import { Time, TimeZone } from '../ui/values.tsx'
import css from './call-records.module.css'
import { fields, groups, type Field } from './fields.ts'
import { filterError, filterFacts } from './filters.ts'
import { instantOfLocal, localText, periodLabels } from './period.ts'
import { filterNames, periods, type CallRecordsSearch, type FilterName } from './search.ts'
import { countryName } from './words.ts'

interface FormProps {
  search: CallRecordsSearch
  /** The filters, with the period resolved to times. */
  parameters: CdrFilterInput
  /** The error of the last request with these filters. */
  error: unknown
  onChange(next: CallRecordsSearch): void
}

const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined])) as CallRecordsSearch

/** The filter form: period and direction first, the rest on request. */
export function FiltersForm({ search, parameters, error, onChange }: FormProps) {
  const set = filterNames.filter((name) => search[name] !== undefined)
  const more = set.filter((name) => name !== 'direction').length
  const [open, setOpen] = useState(false)
  // rejected filters must be visible
  if (!open && filterNames.some((name) => filterError(error, name) !== null)) setOpen(true)
  return (
    <Card title="Filters">
      <Stack gap="narrow">
        <FilterBar
          onClear={
            set.length === 0 && search.period === undefined ? null : () => onChange({ ...noFilters, period: undefined })
          }
        >
          <FilterChips
            label="Period"
            options={periods.map((value) => ({ value, label: periodLabels[value] }))}
            value={search.start_call_start_time || search.start_call_end_time ? null : (search.period ?? '30d')}
            onChange={(period) =>
              onChange({
                period: period === '30d' ? undefined : (period ?? undefined),
                start_call_start_time: undefined,
                start_call_end_time: undefined,
              })
            }
          />
          <FilterChips
            label="Direction"
            options={[
              { value: 'inbound', label: 'Inbound' },
              { value: 'outbound', label: 'Outbound' },
            ]}
            value={search.direction === 'inbound' || search.direction === 'outbound' ? search.direction : null}
            onChange={(direction) => onChange({ direction: direction ?? undefined })}
          />
        </FilterBar>
        <Chosen parameters={parameters} />
        <details className={css.more} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{more === 0 ? 'More filters' : `More filters, ${more} set`}</summary>
          <fieldset className={css.group}>
            <legend>Exact times</legend>
            <div className={css.fields}>
              <MomentField name="start_call_start_time" {...{ parameters, error, onChange }} />
              <MomentField name="start_call_end_time" {...{ parameters, error, onChange }} />
            </div>
          </fieldset>
          {groups.map(([title, names]) => (
            <fieldset key={title} className={css.group}>
              <legend>{title}</legend>
              <div className={css.fields}>
                {names.map((name) => (
                  <OneField key={name} name={name} value={search[name] ?? ''} {...{ error, onChange }} />
                ))}
              </div>
            </fieldset>
          ))}
        </details>
      </Stack>
    </Card>
  )
}

/** The filters in one line, shown while the form is closed. */
function Chosen({ parameters }: { parameters: CdrFilterInput }) {
  const { start_call_start_time: from, start_call_end_time: until } = parameters
  const valid = [from, until].every((each) => !Number.isNaN(Date.parse(each)))
  return (
    <Soft as="p">
      {valid && (
        <>
          From <Time at={from} /> until <Time at={until} />
        </>
      )}
      {filterFacts(parameters)
        .map(([label, value]) => `; ${label}: ${value}`)
        .join('')}
    </Soft>
  )
}

/** A time in the reader's zone. Both ends are set together, so the other end does not shift with the calendar. */
function MomentField({
  name,
  parameters,
  error,
  onChange,
}: Omit<FormProps, 'search'> & { name: 'start_call_start_time' | 'start_call_end_time' }) {
  const zone = use(TimeZone)
  const { start_call_start_time, start_call_end_time } = parameters
  return (
    <TextField
      label={fields[name].label}
      type="datetime-local"
      hint={zone}
      error={filterError(error, name)}
      value={localText(parameters[name], zone)}
      onChange={(text) => {
        const instant = instantOfLocal(text, zone)
        if (instant !== undefined)
          onChange({ start_call_start_time, start_call_end_time, [name]: instant, period: undefined })
      }}
    />
  )
}

interface FieldProps {
  name: FilterName
  value: string
  error: unknown
  onChange(next: CallRecordsSearch): void
}

function OneField({ name, value, error, onChange }: FieldProps) {
  const field: Field = fields[name]
  const change = useCallback((text: string) => onChange({ [name]: text === '' ? undefined : text }), [name, onChange])
  const [text, setText] = useTyping(value, change)
  if (field.kind === 'flag')
    return (
      <Checkbox isSelected={value === 'true'} onChange={(on) => change(on ? 'true' : '')}>
        {field.label}
      </Checkbox>
    )
  return (
    <TextField
      label={field.label}
      value={text}
      onChange={setText}
      error={filterError(error, name)}
      {...(field.placeholder !== undefined && { placeholder: field.placeholder })}
      {...(field.kind === 'lines' && { rows: 2 })}
      {...(field.kind === 'amount' && { inputMode: 'decimal' as const })}
      hint={field.kind === 'countries' ? countryNames(text) || field.hint : field.hint}
    />
  )
}

/** The names of the entered country codes. */
const countryNames = (text: string): string =>
  text
    .split(/[,;\s]+/)
    .flatMap((code) => countryName(code.toUpperCase()) ?? [])
    .join(', ')
