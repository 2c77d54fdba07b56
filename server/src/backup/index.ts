/** Public API: backups, and their restore into an empty installation. */
export { backUp, type BackupReport } from './backup.ts'
export { checkRecipient, readIdentities } from './encryption.ts'
export { findBackup, readStored } from './folder.ts'
export { digestOf, manifestText, readManifest, type Manifest } from './manifest.ts'
export { BackupRefused } from './refused.ts'
export {
  beginRestore,
  checkMigrations,
  restoreCalls,
  restoreDatabase,
  restoreFiles,
  verifyFiles,
  verifyRestored,
  type Backup,
} from './restore.ts'
export type { Secret, Stores } from './source.ts'
export { endRestore } from './store.ts'
