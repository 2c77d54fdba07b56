/** The door: the call-record store and its engine, and the files that exports still need. */
export { referencedFiles } from './store.ts'
export { startEngine } from '../engines/call-records/chdb/supervisor.ts'
export type { CdrRecord, Warehouse, WarehouseOptions } from '../engines/call-records/types.ts'
export { openWarehouse } from '../engines/call-records/warehouse.ts'
