/** Public API: the files that exports still use. */
export { referencedFiles, storedBytes } from './store.ts'
