/** The public API of order documents. */
export { attachLoa, businessDocuments, recordUpload, stageUpload } from './actions.ts'
export { referencedFiles, storedBytes, storedFiles } from './store.ts'
