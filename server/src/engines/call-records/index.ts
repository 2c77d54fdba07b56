/** Public API: ingest, filter and export call records. chdb/index.ts is the public API of the embedded engine. */
export { WarehouseFailed, WarehouseUnavailable } from './errors.ts'
export { Delivery } from './ingest/delivery.ts'
export { ingestCdrs, type IngestInput, type IngestDependencies, type IngestReport } from './ingest/ingest.ts'
export type { CdrFilter, CdrGrouping, CdrRecord, CdrSums, CdrTotals, Warehouse, WarehouseOptions } from './types.ts'
export { openWarehouse } from './warehouse.ts'
