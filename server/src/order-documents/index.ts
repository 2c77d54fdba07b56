/** The public API of order documents. */
export { attachDocument, businessDocuments, recordUpload, stageUpload } from './actions.ts'
export { referencedFiles, storedBytes, storedFiles } from './store.ts'
