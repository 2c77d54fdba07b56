import http from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'

/** Queries a service's call-record engine directly, by its data folder. Returns the response as tab-separated text. */
export async function queryEngine(data_dir: string, query: string): Promise<string> {
  const socketPath = path.join(data_dir, 'cdrs/engine.sock')
  const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
    http.get({ socketPath, path: `/?query=${encodeURIComponent(query)}` }, resolve).on('error', reject),
  )
  const body = await text(response)
  if (response.statusCode !== 200) throw new Error(`The engine refused ${query}: ${body}`)
  return body.trim()
}
