/** Public API: call records ingested, filtered and exported. */
export { startEngine } from './chdb/supervisor.ts'
export { WarehouseFailed, WarehouseUnavailable } from './errors.ts'
export { ingestCdrs, type IngestInput, type IngestDependencies, type IngestReport } from './ingest/ingest.ts'
export type { CdrFilter, CdrRecord, CdrTotals, Warehouse, WarehouseOptions } from './types.ts'
export { openWarehouse } from './warehouse.ts'
