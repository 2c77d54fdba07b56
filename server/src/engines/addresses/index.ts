/** Public API: addresses parsed, normalized, matched against streets and postal data, and validated. */
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
export { CivicReader } from './civic.ts'
export { cityKey, cityLabel } from './normalize/city.ts'
export { isDoubtfulSuffix, suffixesMeant } from './normalize/county-suffixes.ts'
export { mailbox } from './normalize/mailbox.ts'
export { type HouseNumber, isHyphenated, isPlain, parseHouseNumber } from './normalize/number.ts'
export { parseStreet, streetEnd, type StreetPlace } from './normalize/street.ts'
export { fold } from './normalize/text.ts'
export { type Country, typeAbbreviation, typeId } from './normalize/types.ts'
export { type AddressType, hiddenUnit } from './normalize/unit.ts'
export { englishDirection, frenchOrdinal } from './normalize/words-in-names.ts'
export { CIVIC, CIVIC_EXTENSION, civicAddressXml, civicElements, escapeXml, pidfLo } from './pidf.ts'
export { cityOfZip } from './postal/check.ts'
export { type Contradiction, contradictionIn } from './postal/contradictions.ts'
export { countyName, population, postalData, preparePostalData, type PostalData } from './postal/data.ts'
export { countryOfState, postalCode, provincesOfCode, stateNamed, statesOfUs } from './states.ts'
export { censusValidator } from './validators/census.ts'
export { chainedValidator, countedValidator } from './validators/chain.ts'
export { sendByFetch } from './validators/http.ts'
export { localValidator } from './validators/local.ts'
export { LOST, lostValidator, SIMILAR } from './validators/lost.ts'
export { type Accepted, ELEMENTS, type ElementVerdicts, type Outcome, type Validator } from './validators/validator.ts'
export { parseXml, readXml, type XmlElement } from './validators/xml.ts'
