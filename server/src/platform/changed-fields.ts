/** Old and new values of the fields that differ: the data of a `….changed` event. */
export interface Changes<T> {
  from: Partial<T>
  to: Partial<T>
}

/** What a patch changes in a row; null if nothing. Fields that are absent or undefined in the patch stay unchanged. */
export function changedFields<T extends object>(
  row: T,
  patch: { [K in keyof T]?: T[K] | undefined },
): Changes<T> | null {
  const from: Partial<T> = {}
  const to: Partial<T> = {}
  for (const key of keysOf(patch)) {
    const value = patch[key]
    if (value === undefined || value === row[key]) continue
    from[key] = row[key]
    to[key] = value
  }
  return keysOf(to).length === 0 ? null : { from, to }
}

/** The patch type allows only the row's own fields. */
const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[]
