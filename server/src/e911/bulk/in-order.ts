/**
 * Works on several items at once, `at_once` at most, and gives what came of them in the order of the items. Throws what the
 * source or the work throws.
 */
export async function* inOrder<T, R>(
  source: AsyncIterable<T>,
  at_once: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const under_way: Promise<R>[] = []
  for await (const item of source) {
    const done = work(item)
    // a failure is thrown when its turn comes; until then it must not count as one that nobody handles
    done.catch(() => undefined)
    under_way.push(done)
    const first = under_way.length >= at_once ? under_way.shift() : undefined
    if (first) yield await first
  }
  for (const rest of under_way) yield await rest
}
