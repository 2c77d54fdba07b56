import type { ReactNode } from 'react'
import { canadianProvinces, e911AddressTypes, e911Lengths, usStates } from '@demarc/client/rules'
import { ComboBox, type Option, Select, TextField } from '../ui/index.ts'
import css from './address.module.css'
import type { AddressField, AddressForm } from './form.ts'

const countries: readonly Option[] = [
  { value: 'US', label: 'United States' },
  { value: 'CA', label: 'Canada' },
]
const asOptions = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }))
const states: Readonly<Record<string, readonly Option[]>> = {
  US: asOptions(usStates),
  CA: asOptions(canadianProvinces),
}
const types: readonly Option[] = [{ value: '', label: 'None' }, ...asOptions(e911AddressTypes)]

const texts: Partial<Record<AddressField, { label: string; hint?: string; maxLength?: number }>> = {
  label: { label: 'Label', hint: 'Your name for this address.', maxLength: e911Lengths.label },
  first_name: {
    label: 'First name',
    hint: 'The person responders should look for.',
    maxLength: e911Lengths.first_name,
  },
  last_name: { label: 'Last name', maxLength: e911Lengths.last_name },
  street_number: { label: 'House number', hint: 'As posted on the building: 100, 12B, 12 1/2.' },
  street_name: { label: 'Street', hint: 'Include direction and type: N Main St.', maxLength: e911Lengths.street_name },
  address_type_number: { label: 'Unit number', maxLength: e911Lengths.address_type_number },
  city: { label: 'City', maxLength: e911Lengths.city },
  zip: { label: 'Postal code' },
}

interface AddressFormFieldsProps {
  form: AddressForm
  onChange(form: AddressForm): void
  errorOf(field: AddressField): string | null
}

/** The fields of an emergency address with their errors. */
export function AddressFormFields({ form, onChange, errorOf }: AddressFormFieldsProps) {
  const set = (change: Partial<AddressForm>) => onChange({ ...form, ...change })
  const text = (field: AddressField) => (
    <TextField
      {...texts[field]}
      label={texts[field]?.label ?? field}
      value={form[field]}
      onChange={(value) => set({ [field]: value })}
      error={errorOf(field)}
      autoComplete="off"
    />
  )
  return (
    <>
      <div className={`${css.fields} ${css.who}`}>
        {text('label')}
        {text('first_name')}
        {text('last_name')}
      </div>
      <div className={`${css.fields} ${css.street}`}>
        {text('street_number')}
        {text('street_name')}
        <div className={form.address_type === '' ? css.wholeLine : undefined}>
          <Select
            label="Floor, suite, or room"
            options={types}
            value={form.address_type}
            onChange={(type) => set({ address_type: type, ...(type ? {} : { address_type_number: '' }) })}
            error={errorOf('address_type')}
            hint="Where in the building responders should go."
          />
        </div>
        {form.address_type !== '' && text('address_type_number')}
      </div>
      <PlaceFields {...{ form, set, text, errorOf }} />
    </>
  )
}

interface PlaceProps {
  form: AddressForm
  set(change: Partial<AddressForm>): void
  text(field: AddressField): ReactNode
  errorOf(field: AddressField): string | null
}

function PlaceFields({ form, set, text, errorOf }: PlaceProps) {
  return (
    <div className={css.fields}>
      {text('city')}
      <Select
        label="Country"
        options={countries}
        value={form.country}
        onChange={(country) => set({ country, state: '' })}
        error={errorOf('country')}
      />
      <ComboBox
        label={form.country === 'CA' ? 'Province' : 'State'}
        options={states[form.country] ?? []}
        value={form.state === '' ? null : form.state}
        onChange={(state) => set({ state: state ?? '' })}
        error={errorOf('state')}
        placeholder="Select"
      />
      {text('zip')}
    </div>
  )
}
