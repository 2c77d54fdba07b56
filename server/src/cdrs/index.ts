/** Public API: the files that are still used, the ledger of stored call records, months in the file store, and the journal of their tables. */
export { loadMonth } from './cold.ts'
export { coldGauges } from './cold-jobs.ts'
export { deleteMonth, freezeMonths } from './freeze.ts'
export { lockInserts } from './ledger.ts'
export { moveAccount } from './move.ts'
export { placementSource, publishPlacements } from './placements.ts'
export { journalOf } from './schema-store.ts'
export { referencedFiles, storedBytes, storedFiles } from './store.ts'
