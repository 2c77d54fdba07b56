/** Public API: the embedded call-record engine. Apart from that of the store, so that it can be started before the store is loaded. */
export { startEngine } from './supervisor.ts'
