import { usage } from './failure.ts'
import { readText, type Io } from './io.ts'
import { isObject } from './item.ts'
import type { Item } from './output.ts'

/** The JSON object of `--data FILE`; `-` is standard input. */
export async function readData(io: Io, file: string): Promise<Item> {
  const text = await readText(io, file)
  const from = file === '-' ? 'Standard input' : file
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    if (error instanceof SyntaxError) throw usage('--data', `${from} is not JSON: ${error.message}`)
    throw error
  }
  throw usage('--data', `${from} is not a JSON object.`)
}
