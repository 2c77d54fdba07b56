/** The public API of order documents, for port orders, the deletion of unreferenced files, and the demo cast. */
export { attachDocument, businessDocuments, recordUpload, storeUpload } from './actions.ts'
export { referencedFiles } from './store.ts'
