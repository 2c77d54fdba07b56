import { portOrders } from '@demarc/client'
import { at, error, warning } from './finding.ts'
import type { Finding, CheckedOrder, Rule } from './finding.ts'

/** Checks the name on the account, and what identifies the account at the losing carrier. */

/** Words at the end of company names in the US and Canada. */
const companyWords =
  /\b(inc|incorporated|llc|l\.l\.c|ltd|limited|corp|corporation|co|company|llp|lp|pllc|pc|ltée|ltee|enr|gmbh)\.?$/i

/** Carriers that protect accounts with a number transfer PIN. */
const mobileCarriers =
  /\b(t-?mobile|metro(pcs)?|verizon wireless|at&t (mobility|wireless)|us ?cellular|cricket|boost|mint mobile|google (fi|voice)|visible|straight talk|tracfone|xfinity mobile|spectrum mobile|rogers|fido|bell mobility|virgin (mobile|plus)|koodo|telus|freedom mobile|chatr)\b/i

const normalized = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/\s+,/g, ',')
    .replace(/[\s,;]+$/, '')
    .trim()

const nameIsComplete: Rule = ({ billing_name, company, usage_type }) => {
  const pointer = at('billing_name')
  const name = normalized(billing_name)
  const words = name.split(' ').filter((w) => w !== '')
  if (!portOrders.isFullName(name)) return [error('name_incomplete', pointer, portOrders.formatErrors.billing_name)]
  if (usage_type === 'Residential' && companyWords.test(name) && company === '')
    return [
      warning(
        'business_name_mismatch',
        at('usage_type'),
        'The name looks like a company. For a business account, set the usage type to Business and enter the company.',
        'Business',
      ),
    ]
  return [...nameShape(name, words), ...spacingFindings('end_user_name_mismatch', 'billing_name', billing_name)]
}

const isInitial = (word: string | undefined) => word !== undefined && /^\p{Lu}\.?$/u.test(word)

function nameShape(name: string, words: readonly string[]): Finding[] {
  const pointer = at('billing_name')
  if (/[^\p{L}\p{M}\s.,'’()&-]/u.test(name))
    return [warning('end_user_name_mismatch', pointer, 'Names on accounts rarely contain digits or symbols.')]
  if (isInitial(words[0]))
    return [warning('first_name_mismatch', pointer, 'Write out the first name, as the losing carrier has it.')]
  if (isInitial(words.at(-1)))
    return [warning('last_name_mismatch', pointer, 'Write out the last name, as the losing carrier has it.')]
  const middle = words.slice(1, -1).filter(isInitial)
  if (middle.length === 0) return []
  const without = words.filter((w, i) => i === 0 || i === words.length - 1 || !isInitial(w)).join(' ')
  return [
    warning(
      'end_user_name_mismatch',
      pointer,
      "Leave out the middle initial unless it is in the losing carrier's records.",
      without,
    ),
  ]
}

const companyFits: Rule = ({ company, usage_type }) => {
  if (usage_type === 'Business' && normalized(company) === '')
    return [error('company_missing', at('company'), portOrders.formatErrors.company)]
  if (usage_type === 'Residential' && normalized(company) !== '')
    return [
      warning(
        'business_name_mismatch',
        at('usage_type'),
        'The order names a company, but the usage type is Residential.',
        'Business',
      ),
    ]
  return spacingFindings('business_name_mismatch', 'company', company)
}

const accountNumberFits: Rule = ({ provider_account }) => {
  const pointer = at('provider_account')
  if (provider_account.trim() === '')
    return [
      warning(
        'account_number_mismatch',
        pointer,
        'Most losing carriers require the account number. It is on the bill.',
      ),
    ]
  const bare = provider_account.replace(/[\s#]+/g, '').replace(/^(account|acct)\.?:?/i, '')
  if (bare !== provider_account)
    return [
      warning(
        'account_number_mismatch',
        pointer,
        'Write the account number without spaces or symbols.',
        bare === '' ? null : bare,
      ),
    ]
  return []
}

const pinFits: Rule = ({ pin, provider }, { pin_form }) => {
  if (pin === '')
    return mobileCarriers.test(provider)
      ? [
          warning(
            'pin_mismatch',
            at('pin'),
            `${provider} requires a number transfer PIN. Request one, and enter it before it expires.`,
          ),
        ]
      : []
  return pin_form === null || pin_form.test(pin)
    ? []
    : [error('pin_mismatch', at('pin'), 'A PIN must be 4 to 15 letters and digits.')]
}

const socialSecurityFits: Rule = ({ last_4_ssn }) =>
  last_4_ssn === '' || portOrders.isLastFourDigits(last_4_ssn)
    ? []
    : [error('tax_id_mismatch', at('last_4_ssn'), portOrders.formatErrors.last_4_ssn)]

const billingNumberFits: Rule = ({ billing_number, numbers }) => {
  if (billing_number === '') return []
  const pointer = at('billing_number')
  const read = portOrders.readNumber(billing_number)
  if (read === null) return [error('billing_number_mismatch', pointer, portOrders.formatErrors.billing_number)]
  if (numbers.map(portOrders.readNumber).includes(read)) return []
  return [
    warning(
      'partial_port',
      pointer,
      'The main number is not on the order, so it stays behind. List in a comment which other numbers stay.',
    ),
  ]
}

/** Suggests the text without extra spaces and commas, if it has any. */
function spacingFindings(code: Finding['code'], field: keyof CheckedOrder, text: string): Finding[] {
  const suggestion = normalized(text)
  return suggestion === text.normalize('NFC')
    ? []
    : [warning(code, at(field), 'Has extra spaces or commas.', suggestion)]
}

export const accountRules: readonly Rule[] = [
  nameIsComplete,
  companyFits,
  accountNumberFits,
  pinFits,
  socialSecurityFits,
  billingNumberFits,
]
