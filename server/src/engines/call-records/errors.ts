/** The store cannot be reached, or the connection was lost during a query (an engine restart, a network error). Repeat the whole step. */
export class WarehouseUnavailable extends Error {
  override name = 'WarehouseUnavailable'
}

/** The store returned an error: a limit (memory, time), a defect here, a wrong schema. `code` is ClickHouse's error code. */
export class WarehouseFailed extends Error {
  override name = 'WarehouseFailed'
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Records of an export were added or deleted while it was read, so its totals would not match its file. Start the export again. */
export class SnapshotChanged extends Error {
  override name = 'SnapshotChanged'
}
