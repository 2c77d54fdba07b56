/** Public API: the files that exports still use, the ledger of stored call records, and the store that has them. */
export { lockInserts } from './ledger.ts'
export { confirmMigration, describeMigration, migrateBack, migrateRecords } from './migrate.ts'
export { cdrSecrets } from './migration-store.ts'
export { moveAccount } from './move.ts'
export { placementSource, publishPlacements } from './placements.ts'
export { journalOf } from './schema-store.ts'
export { openCurrentStore, type StoreSettings } from './stores.ts'
export { referencedFiles, storedBytes, storedFiles } from './store.ts'
