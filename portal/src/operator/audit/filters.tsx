import { use, useState } from 'react'
import { fieldError } from '../../api.ts'
import { instantOfLocal, localText } from '../../call-records/period.ts'
import { useAccountName, useAccountSearch } from '../../shell/account-search.ts'
import { Button, Card, Row, SearchSelect, Stack, TextField, TimeZone, useTyping } from '../../ui/index.ts'
import css from '../operator.module.css'
import type { AuditSearch } from '../search.ts'
import { subjectText } from './words.ts'

interface FilterProps {
  search: AuditSearch
  error: Error | null
  onChange(next: AuditSearch): void
}

const none: AuditSearch = {
  of: undefined,
  actor: undefined,
  what: undefined,
  subject: undefined,
  subject_id: undefined,
  from: undefined,
  before: undefined,
}

/** The audit log's filters. */
export function AuditFilters({ search, error, onChange }: FilterProps) {
  const { of, subject, subject_id } = search
  const [open, setOpen] = useState([search.actor, search.from, search.before].some((each) => each !== undefined))
  const filtered = Object.keys(none).some((name) => search[name as keyof AuditSearch] !== undefined)
  return (
    <Card>
      <Stack gap="narrow">
        <div className={css.filters}>
          <AccountFilter of={of} onChange={onChange} />
          <ExactField name="what" label="Event" example="portorder.completed" {...{ search, error, onChange }} />
        </div>
        <details className={css.more} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Actor and time</summary>
          <div className={css.filters}>
            <ExactField name="actor" label="Who" example="operator:person:3" {...{ search, error, onChange }} />
            <MomentField name="from" label="From" {...{ search, error, onChange }} />
            <MomentField name="before" label="Before" {...{ search, error, onChange }} />
          </div>
        </details>
        {filtered && (
          <Row>
            {subject !== undefined && (
              <span>
                About {subjectText(subject)} {subject_id}
              </span>
            )}
            <Button kind="plain" size="small" onPress={() => onChange(none)}>
              Clear filters
            </Button>
          </Row>
        )}
      </Stack>
    </Card>
  )
}

function AccountFilter({ of, onChange }: { of: string | undefined; onChange(next: AuditSearch): void }) {
  const [text, setText] = useState('')
  const name = useAccountName(of === '0' ? null : (of ?? null))
  const found = useAccountSearch(text)
  const shown = of === undefined ? 'All accounts' : of === '0' ? 'Operator' : (name ?? `Account ${of}`)
  return (
    <SearchSelect
      label="Account"
      placeholder="Name or id"
      shown={shown}
      text={text}
      onText={setText}
      sections={[
        {
          title: 'Other',
          entries:
            text === ''
              ? [
                  { id: 'all', label: 'All accounts', onAction: () => onChange({ of: undefined }) },
                  { id: '0', label: 'Operator', onAction: () => onChange({ of: '0' }) },
                ]
              : [],
        },
        {
          title: 'Accounts',
          entries: found.map(({ id, attributes }) => ({
            id,
            label: attributes.name,
            hint: id,
            onAction: () => onChange({ of: id }),
          })),
        },
      ]}
    />
  )
}

/** The API's names for the URL's fields. */
const wire = { what: 'event_type', actor: 'actor', from: 'from', before: 'before' } as const

/** A text filter that must match exactly. */
function ExactField({
  name,
  label,
  example,
  search,
  error,
  onChange,
}: FilterProps & { name: 'what' | 'actor'; label: string; example: string }) {
  const [text, setText] = useTyping(search[name] ?? '', (typed) => onChange({ [name]: typed.trim() || undefined }))
  return (
    <TextField
      label={label}
      placeholder={example}
      value={text}
      onChange={setText}
      error={fieldError(error, wire[name])}
    />
  )
}

function MomentField({
  name,
  label,
  search,
  error,
  onChange,
}: FilterProps & { name: 'from' | 'before'; label: string }) {
  const zone = use(TimeZone)
  const value = search[name]
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={value === undefined ? '' : localText(value, zone)}
      onChange={(text) => {
        const instant = instantOfLocal(text, zone)
        if (instant !== undefined || text === '') onChange({ [name]: instant })
      }}
      error={fieldError(error, wire[name])}
    />
  )
}
