import {
  accountNumberFits,
  billingNumberFits,
  companyFits,
  nameIsComplete,
  pinFits,
  socialSecurityFits,
} from './account-rules.ts'
import { areaCodesFit, codeFits, noPostOfficeBox, stateFits, streetIsComplete } from './address-rules.ts'
import type { Finding, CheckedOrder, Rule, CheckContext } from './finding.ts'
import {
  billIsPresent,
  dateIsPossible,
  loaIsFresh,
  numbersArePortable,
  numbersBelongTogether,
  numbersAreUnique,
} from './order-rules.ts'

export type { Finding, CheckedOrder, CheckContext } from './finding.ts'

/** All rules, in the sequence in which their findings are shown. */
const rules: readonly Rule[] = [
  numbersArePortable,
  numbersAreUnique,
  numbersBelongTogether,
  nameIsComplete,
  companyFits,
  accountNumberFits,
  pinFits,
  socialSecurityFits,
  billingNumberFits,
  noPostOfficeBox,
  streetIsComplete,
  stateFits,
  codeFits,
  areaCodesFit,
  dateIsPossible,
  billIsPresent,
  loaIsFresh,
]

/** All findings on an order; errors first. */
export function preflightCheck(order: CheckedOrder, context: CheckContext): Finding[] {
  const findings = rules.flatMap((rule) => rule(order, context))
  return [...findings.filter((f) => f.severity === 'error'), ...findings.filter((f) => f.severity === 'warning')]
}
