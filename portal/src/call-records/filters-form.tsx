import { use, useState } from 'react'
import type { CdrFilterInput } from '@demarc/client'
import { Card, Checkbox, FilterBar, FilterBy, Soft, Stack, TextField, Time, TimeZone, useTyping } from '../ui/index.ts'
import css from './call-records.module.css'
import { fields, groups, type Field } from './fields.ts'
import { filterError, filterFacts } from './filters.ts'
import { instantOfLocal, localText, periodLabels } from './period.ts'
import { filterNames, type CallRecordsSearch, type FilterName } from './search.ts'
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
          <FilterBy
            label="Period"
            labels={periodLabels}
            value={search.start_call_start_time || search.start_call_end_time ? undefined : (search.period ?? '30d')}
            onChange={(period) =>
              onChange({
                period: period === '30d' ? undefined : period,
                start_call_start_time: undefined,
                start_call_end_time: undefined,
              })
            }
          />
          <FilterBy
            label="Direction"
            labels={{ inbound: 'Inbound', outbound: 'Outbound' }}
            value={search.direction}
            onChange={(direction) => onChange({ direction })}
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
  const change = (text: string) => onChange({ [name]: text || undefined })
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
