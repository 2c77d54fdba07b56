/** The store is away, or went away in mid-query (an engine restart, a network fault). Nothing is known to be wrong: do the whole step again. */
export class WarehouseUnavailable extends Error {
  override name = 'WarehouseUnavailable'
}

/** The store answered with an error: a limit (memory, time), a fault of ours, a wrong schema. `code` is ClickHouse's number. */
export class WarehouseFailed extends Error {
  override name = 'WarehouseFailed'
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Records of an export came or went while it was read, so its totals would not be those of its file. Start the export again. */
export class SnapshotMoved extends Error {
  override name = 'SnapshotMoved'
}
