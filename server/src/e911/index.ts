export { createAddress, requireAddress } from './actions.ts'
export { holdAddress, type AddressRow } from './address-store.ts'
export { uploadsAmong } from './dataset-store.ts'
export { e911Attributes, e911Path } from './document.ts'
export {
  canonicalKey,
  canonicalAddress,
  type Alternative,
  type CanonicalAddress,
  type Locality,
  type Unit,
} from './address.ts'
export { DEMO_DATASET, DEMO_EXAMPLES, demoTownCsv } from './demo-town.ts'
export { FORMATS, isFormat, type FormatName } from './import/formats/index.ts'
export { importDataset, type ImportOptions, type ImportProgress, type ImportReport } from './import/importer.ts'
export { activateDataset, coverageByState, dropDataset, findDataset, listDatasets } from './import/datasets.ts'
export type { Dataset, StateCoverage } from './import/store.ts'
export { LEVELS, type Level } from './match/accept.ts'
export { mailbox } from './normalise/mailbox.ts'
export { civicElements, pidfLo, type PidfOptions, type PresentedAddress } from './pidf.ts'
export { checkFields, correction, type Checked, type E911Attributes } from './rules.ts'
export { censusValidator } from './validators/census.ts'
export { chainedValidator } from './validators/chain.ts'
export { callByFetch, type HttpAnswer, type HttpCall, type HttpRequest } from './validators/http.ts'
export { localValidator } from './validators/local.ts'
export { lostValidator } from './validators/lost.ts'
export { MIN_LEVELS, type MinLevel } from './validators/policy.ts'
export type {
  Accepted,
  Correctable,
  Element,
  ElementVerdicts,
  NotGeocodable,
  Outcome,
  Source,
  Unavailable,
  Validator,
} from './validators/validator.ts'
