/**
 * What ClickHouse's error codes mean for a statement. Codes and names: ClickHouse's src/Common/ErrorCodes.cpp. Any code that is not
 * here is permanent: a limit, a missing right, a wrong schema, or a bug.
 */

/**
 * - `retry`: the statement can succeed later. Repeat the whole step.
 * - `again`: another insert is waiting for its quorum. The client itself repeats the insert, with the same bytes.
 * - `unknown`: the insert may have been stored. Look for its records before repeating it, as every delivery does (insert.ts).
 */
export type ErrorClass = 'retry' | 'again' | 'unknown'

/**
 * Also for inserts, repeating is safe in every class. The next delivery of the records finds those that are stored, and one that is
 * stored but not found has the same key, so that readers and merges see one record.
 */
export const ERROR_CODES: Readonly<Record<string, { name: string; class: ErrorClass; reason: string }>> = {
  202: { name: 'TOO_MANY_SIMULTANEOUS_QUERIES', class: 'retry', reason: 'the server is overloaded' },
  209: { name: 'SOCKET_TIMEOUT', class: 'retry', reason: 'another server of the cluster did not respond' },
  210: { name: 'NETWORK_ERROR', class: 'retry', reason: 'another server of the cluster was lost' },
  225: { name: 'NO_ZOOKEEPER', class: 'retry', reason: 'no ClickHouse Keeper or ZooKeeper is reachable' },
  236: { name: 'ABORTED', class: 'retry', reason: 'the server is stopping' },
  242: { name: 'TABLE_IS_READ_ONLY', class: 'retry', reason: 'the replica lost its session with Keeper' },
  252: { name: 'TOO_MANY_PARTS', class: 'retry', reason: 'merges lag behind inserts' },
  279: { name: 'ALL_CONNECTION_TRIES_FAILED', class: 'retry', reason: 'no replica of a shard is reachable' },
  285: { name: 'TOO_FEW_LIVE_REPLICAS', class: 'retry', reason: 'fewer replicas are up than the quorum needs' },
  286: { name: 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', class: 'again', reason: 'an earlier insert lacks its quorum' },
  289: { name: 'REPLICA_IS_NOT_IN_QUORUM', class: 'retry', reason: 'the replica lacks the latest inserts' },
  319: { name: 'UNKNOWN_STATUS_OF_INSERT', class: 'unknown', reason: 'the quorum was not reached in time' },
  425: { name: 'SYSTEM_ERROR', class: 'retry', reason: 'the operating system refused a resource' },
  517: { name: 'CANNOT_ASSIGN_ALTER', class: 'retry', reason: 'another change of the table is in progress' },
  999: { name: 'KEEPER_EXCEPTION', class: 'retry', reason: 'Keeper or ZooKeeper failed' },
}
