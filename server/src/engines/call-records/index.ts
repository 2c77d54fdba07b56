/** Public API: ingest, filter and export call records. chdb/index.ts is the public API of the embedded engine. */
export { withoutCredentials } from './addresses.ts'
export { RecordsCold, WarehouseFailed, WarehouseRefused, WarehouseUnavailable } from './errors.ts'
export type { StoreMode } from './modes.ts'
export { Delivery } from './ingest/delivery.ts'
export { ingestCdrs, type IngestInput, type IngestDependencies, type IngestReport } from './ingest/ingest.ts'
export { LIMITS } from './limits.ts'
export { addSums, monthRange } from './month-sums.ts'
export { placing } from './placements.ts'
export type {
  AccountMonth,
  AccountShard,
  Archive,
  ArchivePiece,
  CdrFilter,
  CdrGrouping,
  CdrQuery,
  CdrRecord,
  CdrSums,
  CdrTotals,
  ColdFile,
  ColdMonth,
  Exclusively,
  MonthState,
  MonthSums,
  PlacementSource,
  SchemaOutcome,
  ShardSums,
  Shards,
  StoreAddress,
  Warehouse,
  WarehouseOptions,
  WithJournal,
} from './types.ts'
export { inspectServer } from './server-check.ts'
export { openTransfer, transferClaims, transferMonth, type Arrived, type TransferStore } from './transfer.ts'
export { openWarehouse } from './warehouse.ts'
