/** Values before and after of the fields that differ: the data of a `….changed` event. */
export interface Changes<T> {
  from: Partial<T>
  to: Partial<T>
}

/** What a patch changes in a row; null when nothing. Fields that are absent or undefined in the patch stay as they are. */
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

/** A patch is built of the row's own fields only, as its type says. */
const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[]
