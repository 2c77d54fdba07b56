import { open, rename, rm, stat } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import type { Operation } from '@demarc/client'
import type { Context } from './context.ts'
import type { Input } from './input.ts'
import { isObject, itemsOf } from './item.ts'
import { argumentsOf, operationName, paramsOf, type PlainOptions } from './plain.ts'
import { bytesText } from './progress.ts'
import { send, type OperationRequest } from './send.ts'
import { shared, type Verb } from './verb.ts'

/** Verbs with a file as the body or the response. */

export type FileOptions = Pick<PlainOptions, 'summary' | 'description' | 'examples' | 'arguments'>

const words = (operation: Operation, { summary, description }: FileOptions) => ({
  summary: summary ?? operation.summary,
  description: description ?? operation.description ?? '',
  operations: [operationName(operation)],
})

/** Writes the response's file to `-o FILE` or to standard output. */
export function download(name: string, operation: Operation, options: FileOptions): Verb {
  return {
    ...words(operation, { description: '', ...options }),
    name,
    arguments: argumentsOf(operation, options),
    options: [shared.output],
    examples: options.examples,
    async run(context, input) {
      const params = paramsOf(operation, options, context, input)
      const file = input.text('output')
      await writeTo(context, responseOf(await send(context, operation, { params, query: {} })), file)
      if (file !== undefined && file !== '-') await context.remark(`Written to ${file}.`)
    },
  }
}

/** The client returns the raw response if its body is a file. */
function responseOf(body: unknown): Response {
  if (body instanceof Response) return body
  throw new Error('The response is not a file.')
}

/** Writes the response to a file or to standard output. */
async function writeTo(context: Context, response: Response, file: string | undefined): Promise<void> {
  if (file === undefined || file === '-') await copy(context, response, (chunk) => context.output.bytes(chunk))
  else await save(context, response, file)
}

/** Copies the response in chunks, as fast as the reader accepts them. */
async function copy(context: Context, response: Response, put: (chunk: Uint8Array) => Promise<unknown>): Promise<void> {
  const progress = context.progress('Downloading')
  const total = Number(response.headers.get('content-length')) || null
  let count = 0
  try {
    for await (const chunk of response.body ?? []) {
      await put(chunk)
      count += chunk.length
      progress.show(total === null ? null : count / total, bytesText(count))
    }
  } finally {
    progress.end()
  }
}

/** Writes the response to a temporary file in the same folder and renames it once it is complete. */
export async function save(context: Context, response: Response, file: string): Promise<void> {
  const draft = `${file}.part`
  const handle = await open(draft, 'w')
  try {
    await copy(context, response, (chunk) => handle.writeFile(chunk))
    await handle.close()
    await rename(draft, file)
  } catch (error) {
    await handle.close()
    await rm(draft, { force: true })
    throw error
  }
}

interface UploadOptions extends FileOptions {
  /** The path parameter for the file's name. */
  name?: string
  /** Media types by file extension; other files are sent as bytes. */
  media: Readonly<Record<string, string>>
}

const fileArgument = { name: 'file', summary: 'The file; - is standard input' }

/** Sends a file as the body. */
export function upload(name: string, operation: Operation, options: UploadOptions): Verb {
  const params = argumentsOf(operation, options).filter((each) => each.name !== options.name)
  return {
    ...words(operation, options),
    name,
    arguments: [...params, fileArgument],
    examples: options.examples,
    async run(context, input) {
      const file = input.argument('file')
      const request = fileRequest(context, input, operation, options)
      const [item] = itemsOf(await sendFile(context, file, (body) => send(context, operation, { ...request, body })))
      await context.output.item(item ?? { file })
    },
  }
}

/** The request without its body. */
function fileRequest(
  context: Context,
  input: Input,
  operation: Operation,
  { name, media, ...options }: UploadOptions,
): OperationRequest {
  const file = input.argument('file')
  const params = paramsOf(operation, options, context, input)
  return {
    params: name === undefined ? params : { ...params, [name]: path.basename(file) },
    query: {},
    content_type: media[path.extname(file).toLowerCase()] ?? bytesType(operation),
  }
}

/** Sends a file or standard input as a request body and shows the progress. */
export async function sendFile<T>(
  context: Context,
  file: string,
  sendBody: (body: ReadableStream) => Promise<T>,
): Promise<T> {
  const size = file === '-' ? null : (await stat(file)).size
  const progress = context.progress('Sending')
  const stream = file === '-' ? Readable.from(context.io.stdin) : createReadStream(file)
  let sent = 0
  stream.on('data', (chunk: Buffer) => {
    sent += chunk.length
    progress.show(size === null ? null : sent / size, bytesText(sent))
  })
  try {
    return await sendBody(Readable.toWeb(stream))
  } finally {
    progress.end()
  }
}

/** The operation's media type for any bytes, or the first one it lists. */
function bytesType({ body }: Operation): string {
  const types = isObject(body) && Array.isArray(body['bytes']) ? body['bytes'].map(String) : []
  return types.find((type) => type === 'application/octet-stream') ?? types[0] ?? 'application/octet-stream'
}

/** Sends a file and writes the response unchanged, for protocols with their own format. */
export function exchange(name: string, operation: Operation, options: FileOptions): Verb {
  return {
    ...words(operation, options),
    name,
    arguments: [fileArgument],
    options: [shared.output],
    examples: options.examples,
    async run(context, input) {
      const request = fileRequest(context, input, operation, { ...options, media: {} })
      const sent = await sendFile(context, input.argument('file'), (body) =>
        send(context, operation, { ...request, body }),
      )
      await writeTo(context, responseOf(sent), input.text('output'))
    },
  }
}
