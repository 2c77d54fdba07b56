import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/**
 * A reporter for `node --test` that writes only the number of tests that ran. The runner's own count has a file without
 * tests as one that passed.
 */
export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let ran = 0
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const is_file = data.nesting === 0 && path.resolve(data.name) === data.file
    const is_test = data.details.type !== 'suite' && !is_file
    if (is_test && data.skip === undefined) ran += 1
  }
  yield `${ran}\n`
}
