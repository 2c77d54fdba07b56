/** The public API of order documents, for port orders and for the deletion of unreferenced files. */
export { attachDocument, businessDocuments } from './actions.ts'
export { referencedFiles } from './store.ts'
