import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Context } from '../../context.ts'
import { bytesText } from '../../progress.ts'

/** Sends a file as the body of a request, and shows how much of it has gone. */
export async function sendFile<T>(
  context: Context,
  file: string,
  send: (body: ReadableStream) => Promise<T>,
): Promise<T> {
  const { size } = await stat(file)
  const progress = context.progress('Sending')
  const stream = createReadStream(file)
  let sent = 0
  stream.on('data', (chunk) => progress.show((sent += chunk.length) / size, bytesText(sent)))
  try {
    return await send(Readable.toWeb(stream))
  } finally {
    progress.end()
  }
}
