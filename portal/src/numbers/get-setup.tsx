import { countText } from '@demarc/client/rules'
import { ConflictError } from '@demarc/client/light'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { Button, Card, Checkbox, ComboBox, Problem, Row, Soft, Stack, TextField } from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'
import { costsOf, type Cart } from './cart.ts'
import { choices, useOptions } from './change-fields.tsx'
import { CartFigures } from './get-search.tsx'
import css from './number.module.css'

const presetOf = {
  primary_route: 'primary_route_id',
  failover_route: 'failover_route_id',
  cnam: 'cnam_id',
  e911: 'e911_id',
} as const satisfies Record<(typeof choices)[number]['field'], string>

/** Numbers named above the form; more are counted. */
const named_max = 12

interface Form {
  /** `none` or `id:5`, by preset. */
  chosen: Readonly<Record<string, string>>
  alias: string
  lookups: boolean
}

/** Where calls go, which name and emergency address the numbers have, and the order. */
export function SetUp({ cart, onBack, onOrdered }: { cart: Cart; onBack(): void; onOrdered(id: string): void }) {
  const [form, setForm] = useState<Form>({ chosen: {}, alias: '', lookups: false })
  const create = useChange('createNumberOrder', ({ data }) => onOrdered(data.id))
  const errorOf = (name: string) => fieldError(create.error, `presets.${name}`) ?? fieldError(create.error, name)
  // another price is refused, unless the person has seen the refusal that names it
  const order = (at_price: boolean) => create.mutate({ body: bodyOf(cart, form, at_price) })
  const isPriceRefused = create.error instanceof ConflictError
  return (
    <Stack>
      <Card title="Your order" aside={<Soft>{namesOf(cart)}</Soft>}>
        <CartFigures cart={cart} />
      </Card>
      <Card title="Settings of these numbers">
        <Stack>
          <SetUpFields form={form} onChange={setForm} errorOf={errorOf} />
          {create.error !== null && (
            <Problem
              refusal={refusalOf(create.error)}
              {...(isPriceRefused && { onRetry: () => order(false), verb: 'Order the available numbers' })}
            />
          )}
          <Row>
            <Button onPress={onBack}>Back to the search</Button>
            <Button
              kind="primary"
              isPending={create.isPending}
              disabledReason={useReadOnlyReason()}
              onPress={() => order(true)}
            >
              Order {countText(cart.size, 'number')}
            </Button>
          </Row>
        </Stack>
      </Card>
    </Stack>
  )
}

interface SetUpFieldsProps {
  form: Form
  onChange(form: Form): void
  errorOf(name: string): string | null
}

function SetUpFields({ form, onChange, errorOf }: SetUpFieldsProps) {
  const options = useOptions()
  return (
    <>
      <div className={css.group}>
        {choices.map(({ field, label, none, from }) => {
          const preset = presetOf[field]
          return (
            <ComboBox
              key={field}
              label={label}
              options={[{ value: 'none', label: none }, ...options[from]]}
              value={form.chosen[preset] ?? 'none'}
              onChange={(value) => onChange({ ...form, chosen: { ...form.chosen, [preset]: value ?? 'none' } })}
              error={errorOf(preset)}
            />
          )
        })}
        <TextField
          label="Alias"
          value={form.alias}
          onChange={(alias) => onChange({ ...form, alias })}
          hint="Your name for these numbers. Optional."
          maxLength={100}
          error={errorOf('alias')}
        />
      </div>
      <Checkbox isSelected={form.lookups} onChange={(lookups) => onChange({ ...form, lookups })}>
        Look up callers’ names, for a fee
      </Checkbox>
      <Soft as="p">
        Without an emergency address, 911 calls go to a call center that has to ask for the caller’s location. You can
        set one later. Toll-free numbers have neither a caller ID name nor an emergency address.
      </Soft>
    </>
  )
}

/** The order; with the price of the search, so that another price is refused. */
function bodyOf(cart: Cart, { chosen, alias, lookups }: Form, at_price: boolean) {
  const presets = Object.entries(chosen)
    .filter(([, id]) => id !== 'none')
    .map(([name, id]) => [name, id.replace('id:', '')])
  return {
    numbers: [...cart.keys()],
    ...(at_price && costsOf(cart)),
    ...(lookups && { cnam_lookups_enabled: true }),
    presets: { ...Object.fromEntries(presets), ...(alias.trim() !== '' && { alias: alias.trim() }) },
  }
}

function namesOf(cart: Cart): string {
  const named = [...cart.keys()].slice(0, named_max).map(phoneText).join(', ')
  return cart.size > named_max ? `${named}, and ${(cart.size - named_max).toLocaleString('en-US')} more` : named
}
