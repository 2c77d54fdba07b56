/** Public API: addresses parsed, normalised, matched against streets and postal data, and validated. */
export {
  type Alternative,
  alternativeAddress,
  type CanonicalAddress,
  canonicalAddress,
  canonicalKey,
  type Locality,
  type Unit,
} from './address.ts'
export { type Level, LEVELS } from './match/accept.ts'
export type { AreaFact, Authority, StreetName, StreetRow } from './match/rows.ts'
export type { Found, Probe, Streets } from './match/streets.ts'
export { cityKey, cityLabel } from './normalise/city.ts'
export { isDoubtfulSuffix, suffixesMeant } from './normalise/county-suffixes.ts'
export { mailbox } from './normalise/mailbox.ts'
export { HIGHEST_NUMBER, type HouseNumber, parseHouseNumber } from './normalise/number.ts'
export { parseStreet, streetEnd, type StreetPlace } from './normalise/street.ts'
export { fold, words } from './normalise/text.ts'
export { type Country, fullTypeWord, typeAbbreviation, typeId } from './normalise/types.ts'
export { type AddressType, hiddenUnit } from './normalise/unit.ts'
export { englishDirection, frenchDirection, frenchOrdinal, fullDirection } from './normalise/words-in-names.ts'
export { pidfLo } from './pidf.ts'
export { cityOfZip, areConsistent } from './postal/check.ts'
export { population } from './postal/populations.ts'
export { postalData, preparePostalData, type PostalData } from './postal/data.ts'
export { kilometres } from './postal/distance.ts'
export { countryOfState, postalCode, provincesOfCode, stateNamed } from './states.ts'
export { censusValidator } from './validators/census.ts'
export { chainedValidator } from './validators/chain.ts'
export { countedValidator } from './validators/counted.ts'
export { sendByFetch } from './validators/http.ts'
export { localValidator } from './validators/local.ts'
export { lostValidator } from './validators/lost.ts'
export type { Accepted, ElementVerdicts, Outcome, Validator } from './validators/validator.ts'
