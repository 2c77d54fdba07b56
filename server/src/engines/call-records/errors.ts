import type { AccountMonth } from './types.ts'

/** The store is unreachable, or the connection was lost during a query (an engine restart, a network error). Repeat the whole step. */
export class WarehouseUnavailable extends Error {
  override name = 'WarehouseUnavailable'
}

/** The store does not respond, not even to a ping. */
export class WarehouseSilent extends WarehouseUnavailable {
  override name = 'WarehouseSilent'
}

/** An insert may have been stored, or may be later. Deliver its records again: those that are stored are found. */
export class WarehouseOutcomeUnknown extends WarehouseUnavailable {
  override name = 'WarehouseOutcomeUnknown'
}

/** The store, or what the operator set for it, does not fit. The message has the remedy. Waiting does not help. */
export class WarehouseRefused extends Error {
  override name = 'WarehouseRefused'
}

/** Call records that were delivered before may be outside the store. Deliver these again when the months are in the store. */
export class RecordsCold extends WarehouseUnavailable {
  override name = 'RecordsCold'
  readonly months: readonly AccountMonth[]

  constructor(months: readonly AccountMonth[]) {
    super('Call records of an old month are being loaded from the file store')
    this.months = months
  }
}

/** Too many requests are waiting for the store. */
export class WarehouseBusy extends WarehouseUnavailable {
  override name = 'WarehouseBusy'
}

/** The store returned an error: a limit (memory, time), a bug in Demarc, or a wrong schema. `code` is ClickHouse's error code. */
export class WarehouseFailed extends Error {
  override name = 'WarehouseFailed'
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** The store's disk is full. Repeat the whole step when it has space. */
export class WarehouseFull extends Error {
  override name = 'WarehouseFull'
  readonly code = 'ENOSPC'
}

/** Recognizes a full disk by NOT_ENOUGH_SPACE or by errno 28 of a file that ClickHouse or the bridge writes. */
export function storeError(sentence: string, message: string, code: string): WarehouseFull | WarehouseFailed {
  const is_full = code === '243' || /errno: 28\b|no space left on device/i.test(message)
  return is_full ? new WarehouseFull(sentence) : new WarehouseFailed(sentence, code)
}

/** The records of an export changed while it was read, so its totals would not match its file. Start the export again. */
export class SnapshotChanged extends Error {
  override name = 'SnapshotChanged'
}
