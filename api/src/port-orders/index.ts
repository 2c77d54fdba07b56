/** What server, portal and CLI share about port orders: statuses and transitions, who acts next, reasons for rejection. */
export * from './diagram.ts'
export * from './progress.ts'
export * from './reject-codes.ts'
export * from './transitions.ts'
export * from './completion-preview.ts'
export * from './loa.ts'
export * from './operations.ts'
export * from './shapes.ts'
