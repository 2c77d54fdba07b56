import { portOrders } from '@demarc/client'
import { areaOf } from '../area-codes.ts'
import { at, error, warning } from './finding.ts'
import type { Rule } from './finding.ts'
import { codeCountry, codeFormError, countryOfState, statesOfCode, normalizeCode } from './postal-codes.ts'

/** Checks the service address, which the losing carrier compares with its own record letter by letter. */

const poBox =
  /\b(p\.?\s*o\.?\s*(box|b\.?)|post\s*office\s*box|postal\s*box|p\.?o\.?b\.?\s*\d+|case\s*postale|c\.?p\.?\s+\d+|general\s+delivery|pmb\s*#?\d+)(?=\W|\d|$)/i

const noPostOfficeBox: Rule = ({ street, street2 }) =>
  (['street', 'street2'] as const).flatMap((field) =>
    poBox.test({ street, street2 }[field])
      ? [error('po_box_address', at(field), 'A P.O. box is not a service address. Enter the street number and street.')]
      : [],
  )

const streetIsComplete: Rule = ({ street }) => {
  if (poBox.test(street)) return []
  if (street.trim() === '') return [error('address_mismatch', at('street'), 'Enter the street number and street.')]
  if (!/\d/.test(street)) return [warning('address_mismatch', at('street'), 'Has no street number.')]
  return /\p{L}{2}/u.test(street) ? [] : [warning('address_mismatch', at('street'), 'Has no street name.')]
}

const stateFits: Rule = ({ state, country }) => {
  const found = countryOfState(state)
  if (found === null) {
    const upper = state.trim().toUpperCase()
    return [error('address_mismatch', at('state'), portOrders.formatErrors.state, countryOfState(upper) ? upper : null)]
  }
  return found === country
    ? []
    : [error('address_mismatch', at('country'), `${state} is in ${found}, not in ${country}.`, found)]
}

const codeFits: Rule = ({ zip, state, country }) => {
  const code_country = codeCountry(state, country)
  const malformed = codeFormError(zip, code_country)
  if (malformed !== null) return [error('zip_mismatch', at('zip'), malformed)]
  const code = code_country === null ? null : normalizeCode(zip, code_country)
  if (code_country === null || code === null) return []
  const states = statesOfCode(code, code_country)
  if (states.length === 0)
    return [error('zip_mismatch', at('zip'), `No ZIP or postal code begins with ${code.slice(0, 3)}.`)]
  if (countryOfState(state) !== null && !states.includes(state))
    return [error('zip_state_mismatch', at('zip'), `${code} is in ${states.join(' or ')}, not in ${state}.`)]
  return code === zip ? [] : [warning('zip_mismatch', at('zip'), 'Write the code in its standard form.', code)]
}

/** Warns when area code and address are in different states, which is right for people who moved and wrong for most lines. One finding per area code. */
const areaCodesFit: Rule = ({ numbers, state }) => {
  if (countryOfState(state) === null) return []
  const reported = new Set<string>()
  return numbers.flatMap((text, i) => {
    const code = portOrders.readNumber(text)?.slice(2, 5) ?? ''
    const area = areaOf(code)
    if (area === null || area.regions.includes(state) || reported.has(code)) return []
    reported.add(code)
    return [
      warning(
        'address_mismatch',
        at('numbers', i),
        `Area code ${code} belongs to ${area.regions.join(' and ')}, but the address is in ${state}. Check the service address.`,
      ),
    ]
  })
}

export const addressRules: readonly Rule[] = [noPostOfficeBox, streetIsComplete, stateFits, codeFits, areaCodesFit]
