/**
 * Public API: the embedded call-record engine. Separate from the store's public API so that the engine can start before the
 * store is loaded.
 */
export { startEngine } from './supervisor.ts'
