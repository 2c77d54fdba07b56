/** Public API: the files that exports still need. */
export { referencedFiles, storedBytes } from './store.ts'
