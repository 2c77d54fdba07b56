/** The public API of order documents, for port orders, the deletion of unreferenced files, the storage of accounts, and the demo cast. */
export { attachDocument, businessDocuments, recordUpload, stageUpload } from './actions.ts'
export { referencedFiles, storedBytes } from './store.ts'
