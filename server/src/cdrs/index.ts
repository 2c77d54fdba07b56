/** The door: the call-record store and its engine, and the files that exports still need. */
export { referencedFiles } from './store.ts'
export { startEngine } from './warehouse/engine/supervisor.ts'
export type { CdrRecord, Warehouse, WarehouseOptions } from './warehouse/types.ts'
export { openWarehouse } from './warehouse/warehouse.ts'
