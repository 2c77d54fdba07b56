import {
  accountNumberFits,
  billingNumberFits,
  companyFits,
  nameIsWhole,
  pinFits,
  socialSecurityFits,
} from './account-rules.ts'
import { areaCodesFit, codeFits, noPostOfficeBox, stateFits, streetIsWhole } from './address-rules.ts'
import type { Finding, Patient, Rule, Surroundings } from './finding.ts'
import {
  billIsThere,
  dateIsPossible,
  loaIsFresh,
  numbersArePortable,
  numbersBelongTogether,
  numbersStandOnce,
} from './order-rules.ts'

export type { Finding, Patient, Surroundings } from './finding.ts'

/** Everything that is looked at, in the sequence in which findings are shown. */
const rules: readonly Rule[] = [
  numbersArePortable,
  numbersStandOnce,
  numbersBelongTogether,
  nameIsWhole,
  companyFits,
  accountNumberFits,
  pinFits,
  socialSecurityFits,
  billingNumberFits,
  noPostOfficeBox,
  streetIsWhole,
  stateFits,
  codeFits,
  areaCodesFit,
  dateIsPossible,
  billIsThere,
  loaIsFresh,
]

/** Everything that would bring the order back, all at once; errors first. Empty when nothing is known against it. */
export function examine(patient: Patient, surroundings: Surroundings): Finding[] {
  const found = rules.flatMap((rule) => rule(patient, surroundings))
  return [...found.filter((f) => f.severity === 'error'), ...found.filter((f) => f.severity === 'warning')]
}
