/** What server, portal and CLI need to know of port orders alike: their life, whose turn it is, why one comes back. */
export * from './diagram.ts'
export * from './progress.ts'
export * from './reject-codes.ts'
export * from './transitions.ts'
export * from './completion-preview.ts'
export * from './loa.ts'
export * from './operations.ts'
export * from './shapes.ts'
