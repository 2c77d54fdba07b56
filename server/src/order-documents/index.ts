/** The door: what port orders need of their documents, and the files that documents still need. */
export { attachDocument, businessDocuments } from './actions.ts'
export { referencedFiles } from './store.ts'
