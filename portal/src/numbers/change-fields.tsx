import { useRead } from '../api.ts'
import { Checkbox, ComboBox, type Option, Stack, TextField } from '../ui/index.ts'
import { type ChangeForm, type Choice, changesOf, isEmpty } from './changes.ts'
import { useState } from 'react'
import { ChangeFlow } from './change-flow.tsx'

interface ChangeDialogProps {
  /** Numbers in E.164, without the plus. */
  values: readonly string[]
  initial: ChangeForm
  onClose(): void
}

/** Sets the alias, routes, caller ID, and E911 address of one or more numbers. */
export function ChangeDialog({ values, initial, onClose }: ChangeDialogProps) {
  const [form, setForm] = useState(initial)
  return (
    <ChangeFlow
      title={values.length === 1 ? 'Change this number' : `Change ${values.length.toLocaleString('en-US')} numbers`}
      changes={changesOf(values, form)}
      disabledReason={isEmpty(form) ? 'Choose at least one change.' : null}
      onClose={onClose}
    >
      <ChangeFields form={form} onChange={setForm} single={values.length === 1} />
    </ChangeFlow>
  )
}

const leave: Option = { value: 'leave', label: 'No change' }

interface ChangeFieldsProps {
  form: ChangeForm
  onChange(form: ChangeForm): void
  /** For a single number, whose alias is edited directly. */
  single: boolean
}

/** The fields to set; each defaults to *No change*. */
function ChangeFields({ form, onChange, single }: ChangeFieldsProps) {
  const options = useOptions()
  const set = (change: Partial<ChangeForm>) => onChange({ ...form, ...change })
  return (
    <Stack>
      {!single && (
        <Checkbox isSelected={form.alias !== null} onChange={(on) => set({ alias: on ? '' : null })}>
          Set the same alias on all of them
        </Checkbox>
      )}
      {(single || form.alias !== null) && (
        <TextField
          label="Alias"
          value={form.alias ?? ''}
          onChange={(alias) => set({ alias })}
          hint="Your name for it. Leave empty to remove it."
          maxLength={100}
        />
      )}
      {choices.map(({ field, label, none, from }) => (
        <ComboBox
          key={field}
          label={label}
          options={[leave, { value: 'none', label: none }, ...options[from]]}
          value={form[field]}
          // option values are choices
          onChange={(next) => set({ [field]: (next ?? 'leave') as Choice })}
        />
      ))}
    </Stack>
  )
}

/** The settings that name a record of the account. */
export const choices = [
  { field: 'primary_route', label: 'Route', none: 'The default route', from: 'routes' },
  { field: 'failover_route', label: 'Failover route', none: 'No failover route', from: 'routes' },
  { field: 'cnam', label: 'Caller ID', none: 'No caller ID name', from: 'cnams' },
  { field: 'e911', label: 'E911 address', none: 'No emergency address', from: 'e911s' },
] as const

/** The account's options. */
export function useOptions(): Record<(typeof choices)[number]['from'], Option[]> {
  const routes = useRead('listRoutes', { query: { limit: 200 } })
  const cnams = useRead('listCnams', { query: { limit: 2000, is_approved: true } })
  const e911s = useRead('listE911s', { query: { limit: 2000 } })
  return {
    routes: (routes.data?.data ?? [])
      .filter(({ id }) => id !== '0')
      .map(({ id, attributes }) => option(id, attributes.alias, attributes.value)),
    cnams: (cnams.data?.data ?? []).map(({ id, attributes }) => option(id, attributes.value)),
    e911s: (e911s.data?.data ?? []).map(({ id, attributes: a }) =>
      option(id, a.label, `${a.street_number} ${a.street_name}, ${a.city}`),
    ),
  }
}

const option = (id: string | number, label: string, hint?: string | null): Option => ({
  value: `id:${id}`,
  label,
  ...(hint === undefined || hint === null || hint === label ? {} : { hint }),
})
