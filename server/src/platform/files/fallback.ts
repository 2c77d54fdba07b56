import { DependencyUnavailable } from '../unavailable.ts'
import { FileNotFound, type FileStore } from './file-store.ts'

/**
 * Two stores as one, while files are moved between them: new files go to the primary, and files that it lacks are read from the
 * other. While one cannot be reached, files of the other are still read. A file that both have is listed twice.
 */
export function withFallback(primary: FileStore, other: FileStore): FileStore {
  return {
    stage: (source, options) => primary.stage(source, options),
    putStream: (source, options) => primary.putStream(source, options),
    async read(digest, range) {
      const stream = await first([primary, other], async (store) => {
        try {
          return await store.read(digest, range)
        } catch (error) {
          if (error instanceof FileNotFound) return null
          throw error
        }
      })
      if (stream === null) throw new FileNotFound(digest)
      return stream
    },
    stat: (digest) => first([primary, other], (store) => store.stat(digest)),
    async remove(digest) {
      // in this order: a file that is left in the primary is not found in the other again
      const removed = [await other.remove(digest), await primary.remove(digest)]
      return removed.includes(true)
    },
    async *list() {
      yield* primary.list()
      yield* other.list()
    },
    sweepTemp: (older_than) => primary.sweepTemp(older_than),
    locate: (digest) => primary.locate(digest),
  }
}

/** The first result that is not null. Throws DependencyUnavailable if there is none and a store could not be reached. */
async function first<T>(
  stores: readonly FileStore[],
  request: (store: FileStore) => Promise<T | null>,
): Promise<T | null> {
  let unavailable: DependencyUnavailable | undefined
  for (const store of stores) {
    try {
      const result = await request(store)
      if (result !== null) return result
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error
      unavailable = error
    }
  }
  if (unavailable) throw unavailable
  return null
}
