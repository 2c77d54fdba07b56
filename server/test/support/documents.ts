import assert from 'node:assert/strict'
import { refused, wire, type WireResponse } from './wire.ts'

/** Reads documents and writes them back, as an untyped client would. */

export interface AnyDocument {
  data: {
    type: string
    id: string | number
    attributes: Record<string, unknown>
    relationships?: Record<string, unknown>
  }
  links: object
  included?: unknown[]
}

/** Reads and writes documents with the key. */
export function documentClient(base_url: string, credentials: { access_key: string; secret_key: string }) {
  const send = wire(base_url, credentials)
  const write = (line: string, body: unknown): Promise<WireResponse> =>
    send(line, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const documentOf = (response: WireResponse, status: number) => {
    assert.equal(response.status, status, response.body)
    return response.json as AnyDocument // the caller asserts what it reads of it
  }
  return {
    read: async (path: string) => documentOf(await send(`GET ${path}`), 200),
    write,
    /** Asserts that the body is accepted. `line`: `PATCH /v2/cnams/7`. */
    written: async (line: string, body: unknown, status = 200) => documentOf(await write(line, body), status),
    /** Asserts that the body is a 422 and returns its field errors. */
    fieldErrors: async (line: string, body: unknown) => refused(await write(line, body), 422).detail,
    /** Asserts that the body is refused because it belongs to another object. */
    async assertOtherId(line: string, document: AnyDocument) {
      const { data } = document
      const id = typeof data.id === 'number' ? data.id + 1 : `${data.id}1`
      const { detail } = refused(await write(line, { ...document, data: { ...data, id } }), 409)
      assert.match(String(detail), /^The body has the id \d+, but the path has \d+\./)
    },
  }
}

/** The document with these attributes in place of its own, and with members that have no effect. */
export const changed = (document: AnyDocument, attributes: Record<string, unknown>) => ({
  ...document,
  jsonapi: { version: '1.1' },
  meta: { read_at: 'now' },
  data: { ...document.data, meta: {}, attributes: { ...document.data.attributes, ...attributes } },
})

export const readOnly = 'Is read-only. Omit it, or send its current value.'
