import path from 'node:path'
import { after, suite, test } from 'node:test'
import { limitOpenHandles } from './open-handles.ts'

/** Runs a test file in this process. */
export async function runFile(file: string): Promise<void> {
  after(limitOpenHandles)
  await import(file)
}

/**
 * Runs test files one after another in this process, which saves each but the first the import of the service. What a file opens
 * is closed at its end, as if it had run alone.
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  // Node cancels a test that waits only for a timer without a reference, unless it is in the first suite
  const awake = setInterval(() => undefined, 60_000)
  const environment = { ...process.env }
  for (const file of files)
    await suite(path.relative(process.cwd(), file), async () => {
      // imported here, because its own hook belongs to the first file
      const { closeDatabases } = await import('../server/test/support/database.ts')
      after(closeDatabases)
      after(() => {
        process.env = { ...environment }
      })
      // as a test, so that it is counted
      await import(file).catch((error: unknown) => test('the file can be imported', () => Promise.reject(error)))
    })
  clearInterval(awake)
  limitOpenHandles()
}
