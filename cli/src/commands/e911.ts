import { e911LevelHeader, e911LevelMeanings, e911Levels, operations } from '@demarc/client'
import { e911Ids } from '../complete-ids.ts'
import { importStreetData } from './e911/import.ts'
import { validateFile } from './e911/validate-file.ts'
import { plain, type FieldOption } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Emergency addresses for calls to 911. */

const e911_id = { summary: 'ID of the emergency address', complete: e911Ids }
const columns = ['id', 'label', 'street_number', 'street_name', 'city', 'state', 'zip', 'validation.level']

/** The fields of an address, for all verbs that accept one. */
export const addressFields: Readonly<Record<string, FieldOption>> = {
  label: { summary: 'Your name for the address' },
  first_name: { summary: 'First name of the person at the address' },
  last_name: { summary: 'Last name of the person at the address' },
  street_number: { summary: 'House number as posted: 12, 12B, "12 1/2", 87-15' },
  street_name: { summary: 'Street with its direction and suffix: "N Main St"' },
  address_type: { value: 'type', summary: "Type of unit, such as Suite, Floor, or Apartment; '' removes it" },
  address_type_number: { summary: "Unit number; '' removes it" },
  city: { summary: 'City' },
  state: { value: 'state', summary: 'US state or Canadian province, two capital letters' },
  country: { value: 'country', summary: 'US or CA' },
  zip: { summary: 'ZIP code or Canadian postal code' },
}

const list = plain('list', operations.listE911s, {
  columns,
  fields: {
    label: { summary: 'Part of the label' },
    street_name: { summary: 'Part of the street name' },
    city: { summary: 'Addresses in this city' },
    state: { summary: 'Addresses in this state' },
    level: { value: 'level', summary: 'Validation level', choices: e911Levels },
  },
  examples: [
    'e911 list',
    'e911 list --city Friendship --state WI --csv',
    'e911 list --level postal',
    'e911 list --recheck-due true --ids',
  ],
})

const get = plain('get', operations.getE911, { arguments: { e911_id }, examples: ['e911 get 31'] })

const address =
  '--label "Head office" --first-name Rosa --last-name Diaz --street-number 100 --street-name "N Main St" --city Friendship --state WI --country US --zip 53934'

const create = plain('create', operations.createE911, {
  fields: addressFields,
  existing: {
    list: operations.listE911s,
    by: ['label', 'street_number', 'street_name', 'address_type', 'address_type_number', 'city', 'state'],
  },
  examples: [`e911 create ${address}`, 'e911 create --data address.json --if-not-exists'],
})

const update = plain('update', operations.updateE911, {
  arguments: { e911_id },
  fields: addressFields,
  examples: ['e911 update 31 --address-type Suite --address-type-number 200'],
})

const remove = plain('delete', operations.deleteE911, {
  arguments: { e911_id },
  question: (input) => `Delete the emergency address ${input.argument('e911')}?`,
  done: (input) => `Emergency address ${input.argument('e911')} deleted.`,
  examples: ['e911 delete 31 --yes'],
})

/** Empty for a service that sends no level. */
function levelText(sent: unknown): string {
  const level = e911Levels.find((one) => one === sent)
  return level === undefined ? '' : ` Checked to level ${level}: ${e911LevelMeanings[level]}`
}

/** Validates one address, or with `--csv` a file of them. */
const validateOne = plain('validate', operations.validateE911, {
  fields: addressFields,
  facts: (headers) => ({ level: headers.get(e911LevelHeader) }),
  done: (_input, { level }) => `The address is valid.${levelText(level)}`,
  examples: [`e911 validate ${address}`],
})

const numbersOf = plain('numbers', operations.listE911Numbers, {
  arguments: { e911_id },
  columns: ['value', 'alias'],
  examples: ['e911 numbers 31 --ids'],
})

const coverage = plain('coverage', operations.listE911Coverage, {
  columns: ['id', 'type', 'gap', 'alias', 'label'],
  fields: { gap: { value: 'gap', summary: 'Only this type of gap' } },
  examples: ['e911 coverage', 'e911 coverage --gap no_address --ids'],
})

export const e911: Noun = {
  name: 'e911',
  summary: 'Emergency addresses',
  verbs: [list, get, create, update, remove, validateFile(validateOne), importStreetData, numbersOf, coverage],
}
