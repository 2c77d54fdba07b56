/** Errors of a disk without room: of the operating system, of a quota, and of PostgreSQL (disk_full). */
const codes = ['ENOSPC', 'EDQUOT', '53100']

/** True for an error whose cause is that there is no room left. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && codes.includes(String(error.code))) || isStorageFull(error.cause)
}
