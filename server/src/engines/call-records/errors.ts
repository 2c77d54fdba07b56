/** The store cannot be reached, or the connection was lost during a query (an engine restart, a network error). Repeat the whole step. */
export class WarehouseUnavailable extends Error {
  override name = 'WarehouseUnavailable'
}

/** Too many wait for the store already. */
export class WarehouseBusy extends WarehouseUnavailable {
  override name = 'WarehouseBusy'
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

/** The store has no room left. Repeat the whole step when there is. Its code is the operating system's, as of a file that cannot be written. */
export class WarehouseFull extends Error {
  override name = 'WarehouseFull'
  readonly code = 'ENOSPC'
}

/** The error for a message of ClickHouse with its code: NOT_ENOUGH_SPACE, or the system's error 28 of a file that it or the bridge before it writes. */
export function storeError(sentence: string, message: string, code: string): WarehouseFull | WarehouseFailed {
  const is_full = code === '243' || /errno: 28\b|no space left on device/i.test(message)
  return is_full ? new WarehouseFull(sentence) : new WarehouseFailed(sentence, code)
}

/** Records of an export were added or deleted while it was read, so its totals would not match its file. Start the export again. */
export class SnapshotChanged extends Error {
  override name = 'SnapshotChanged'
}
