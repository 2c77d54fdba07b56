/**
 * Lets a search see one state of the data from its first statement to its last, though it makes several: one during which
 * the data changed is made anew. `version` tells another one after every change; it is asked once more than there are
 * searches, since what was true after the last search was true before this one unless it has changed since.
 */
export function steadily(version: () => Promise<string>): <T>(search: () => Promise<T>) => Promise<T> {
  let known: string | undefined
  return async (search) => {
    for (let before = (known ??= await version()); ;) {
      const found = await search()
      const after = await version()
      known = after
      if (after === before) return found
      before = after
    }
  }
}
