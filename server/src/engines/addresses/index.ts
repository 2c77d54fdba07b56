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
export { type HouseNumber, isHyphenated, isPlain, parseHouseNumber } from './normalise/number.ts'
export { parseStreet, streetEnd, type StreetPlace } from './normalise/street.ts'
export { fold } from './normalise/text.ts'
export { type Country, typeAbbreviation, typeId } from './normalise/types.ts'
export { type AddressType, hiddenUnit } from './normalise/unit.ts'
export { englishDirection, frenchOrdinal } from './normalise/words-in-names.ts'
export { CIVIC, civicAddressXml, civicElements, escapeXml, pidfLo } from './pidf.ts'
export { cityOfZip } from './postal/check.ts'
export { countyName } from './postal/counties.ts'
export { population } from './postal/populations.ts'
export { postalData, preparePostalData, type PostalData } from './postal/data.ts'
export { countryOfState, postalCode, provincesOfCode, stateNamed, statesOfUs } from './states.ts'
export { censusValidator } from './validators/census.ts'
export { chainedValidator } from './validators/chain.ts'
export { countedValidator } from './validators/counted.ts'
export { sendByFetch } from './validators/http.ts'
export { localValidator } from './validators/local.ts'
export { LOST, lostValidator, SIMILAR } from './validators/lost.ts'
export { type Accepted, ELEMENTS, type ElementVerdicts, type Outcome, type Validator } from './validators/validator.ts'
export { parseXml, type XmlElement, XmlError } from './validators/xml.ts'
