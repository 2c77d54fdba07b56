/** Public API: the files that exports still use, the ledger of stored call records, and the journal of their tables. */
export { arrivalTime, findMonth, lockInserts, recordedCalls } from './ledger.ts'
export { moveAccount } from './move.ts'
export { placementSource, publishPlacements } from './placements.ts'
export { compareSums } from './rules.ts'
export { journalOf } from './schema-store.ts'
export { referencedFiles, storedBytes, storedFiles } from './store.ts'
