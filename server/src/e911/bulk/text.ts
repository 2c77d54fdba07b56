/** A file that cannot be worked on; `message` tells its sender why, and the way out. */
export class FileRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileRefused'
  }
}

/** Longest line or record. A longer one means an unclosed quote, not an address. */
export const recordBytes_max = 64 * 1024

/** The text of the file, a byte order mark left out. Throws FileRefused for what is not UTF-8. */
export async function* textOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (error) {
      if (error instanceof TypeError)
        throw new FileRefused('The file is not UTF-8. Save it as UTF-8.', { cause: error })
      throw error
    }
  }
  for await (const chunk of source) yield decode(chunk)
  yield decode()
}
