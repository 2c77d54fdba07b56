/** Public API: import, store, activate, and look up street data. */
export { clearDatasets } from './clear.ts'
export { type Coverage, createCoverage, readCoverage } from './coverage.ts'
export { coverageByCounty } from './counties.ts'
export { coverageByState, placesOf } from './coverage-store.ts'
export type { ReadOptions } from './import/format.ts'
export { FORMATS, type FormatName, isFormat } from './import/formats/index.ts'
export {
  DatasetBusy,
  DatasetRemoved,
  importDataset,
  type ImportOptions,
  type ImportProgress,
} from './import/importer.ts'
export { IMPORT } from './import/limits.ts'
export { layoutOption, optionErrors, pairsOption } from './import/options.ts'
export type { PlaceDefaults } from './import/resolve.ts'
export { inMemory, storedFile } from './import/source.ts'
export { activeStreets } from './lookup-store.ts'
export {
  activeDatasets,
  beginDataset,
  clearUpload,
  type Dataset,
  findDataset,
  isSameReading,
  listDatasets,
  markFailed,
  type NewDataset,
  uploadsAmong,
  uploadsFrom,
} from './store.ts'
export { overlapOf, recordOverlap } from './overlap-store.ts'
export { activate, activateDataset, type Activation, drop, dropDataset, type FollowUps } from './switch.ts'
export type { DatasetOptions, DatasetUpload } from './tables.ts'
