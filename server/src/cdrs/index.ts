/** Public API: the files that exports still need. */
export { referencedFiles } from './store.ts'
