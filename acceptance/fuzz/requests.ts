import http from 'node:http'
import { needsSession, type Target } from './document.ts'
import type { Random } from './random.ts'
import type { Seen, Values } from './values.ts'

/** A valid, invalid, or hostile request of an operation, as bytes. */
export interface Attempt {
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer | null
}

export interface Received {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
}

/** Each `key:secret`, and the headers of a signed-in operator user acting for the account. */
export type Credentials = Record<'account' | 'other' | 'operator', string> & { session: Record<string, string> }

const BYTES = [
  Buffer.alloc(0),
  Buffer.from('account_id,id\n1,2\n'),
  Buffer.from('{"a":1}\nnot json\n'),
  Buffer.from('LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n'),
  Buffer.from('%PDF-1.7\n%%EOF\n'),
  Buffer.from('1f8b0800', 'hex'),
  Buffer.from('504b0304', 'hex'),
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
]
const form = 'application/x-www-form-urlencoded'
/** Every operation rejects such a body, regardless of its content. */
const BROKEN_JSON = ['{', '[1,', '"\\ud800', '{"a":1}}', '['.repeat(200), '{"__proto__":{}}', '\u0000', 'NaN']

const repeated = (text: string, times: number) => Array.from({ length: times }, () => text).join()
const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join()
/** JSON bodies whose errors, if each were reported, would block the service. */
const HEAVY_JSON = [
  `{${members(150_000)}}`,
  `{${members(250)}}`,
  `{"numbers":[${repeated('{}', 400_000)}]}`,
  `{"numbers":[${repeated('{}', 90_000)}]}`,
  `{"numbers":[${repeated(`{${members(150)}}`, 1_000)}]}`,
  `{"numbers":[${repeated('"x"', 20_000)}]}`,
  `{"ids":[${repeated('"\\ud800"', 150_000)}]}`,
  `{"data":{"type":"portorder","attributes":{"numbers":[${repeated('"x"', 20_000)}]}}}`,
  `{"data":{"attributes":{${members(250)}}}}`,
].map((text) => Buffer.from(text))
const HEAVY_FORMS = ['numbers=1&', 'numbers[]=x&', 'n=%ff&'].map((pair) => Buffer.from(pair.repeat(190_000)))
/** Bytes that are not UTF-8, percent-encoded: half of a surrogate pair, and half of a character. */
const BROKEN_QUERY = ['%ED%A0%80', '%ff', 'a%C3', '%00']

export class Requests {
  readonly #random: Random
  readonly #values: Values
  readonly #seen: Seen
  readonly #credentials: Credentials

  constructor(random: Random, values: Values, seen: Seen, credentials: Credentials) {
    this.#random = random
    this.#values = values
    this.#seen = seen
    this.#credentials = credentials
  }

  /** Any request of the operation; about a third are valid. */
  any(target: Target): Attempt {
    const r = this.#random
    const { body, type } = this.#body(target, r.chance(0.6))
    return {
      method: target.method,
      url: this.#path(target) + this.#query(target),
      headers: {
        ...this.#signedIn(target),
        ...(type === null ? {} : { 'content-type': type }),
        ...(r.chance(0.05)
          ? { accept: r.pick(['text/plain', 'application/json;q=0', '*/*', 'a', 'application/pidf+xml']) }
          : {}),
        ...(r.chance(0.1) ? { 'idempotency-key': r.pick(['one', 'two', 'x'.repeat(300), 'é', ' ']) } : {}),
        ...(r.chance(0.03) ? { 'demarc-account': r.pick(['1', '0', 'x', '99999999999999999999']) } : {}),
        ...(r.chance(0.03) ? { 'content-encoding': r.pick(['gzip', 'br', 'zstd']) } : {}),
      },
      body,
    }
  }

  /** A request that every operation must refuse: without a valid key, or with an unreadable body. */
  refused(target: Target): Attempt {
    const r = this.#random
    const attempt = this.any(target)
    const { authorization: _, cookie: __, ...headers } = attempt.headers
    const json = Object.keys(target.operation.requestBody?.content ?? {}).includes('application/json')
    if (json && r.chance(0.6))
      return {
        ...attempt,
        headers: { ...attempt.headers, 'content-type': 'application/json' },
        body: Buffer.from(r.pick(BROKEN_JSON)),
      }
    return {
      ...attempt,
      headers: r.chance(0.5) ? headers : { ...headers, authorization: `Basic ${btoa('nobody:nothing')}` },
    }
  }

  /** By key, or by session for operations that refuse keys; occasionally by another principal. */
  #signedIn(target: Target): Record<string, string> {
    if (this.#random.chance(needsSession(target.operation) ? 0.9 : 0.1)) return this.#credentials.session
    return { authorization: `Basic ${Buffer.from(this.#credential(target)).toString('base64')}` }
  }

  /** Usually a principal who may use the operation. */
  #credential({ path }: Target): string {
    const { account, other, operator } = this.#credentials
    if (this.#random.chance(0.8)) return path.startsWith('/operator') ? operator : account
    return this.#random.pick([account, operator, other])
  }

  #path({ path }: Target): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const r = this.#random
      const seen = this.#seen.ids(name.replace(/_id$/, ''))
      const value =
        r.chance(0.8) && seen.length > 0
          ? r.pick(seen)
          : r.pick(['0', '1', '-1', 'x', '1'.repeat(30), '%00', 'é', '..%2f', this.#values.hostile()])
      return encodeURIComponent(asText(value).slice(0, 300)) || '0'
    })
  }

  #query({ operation }: Target): string {
    const r = this.#random
    const query = new URLSearchParams()
    for (const { name, in: where, schema } of operation.parameters ?? []) {
      if (name === undefined || where !== 'query' || r.chance(0.6)) continue
      const value = r.chance(0.7) ? this.#values.of(schema ?? {}, name) : this.#values.hostile()
      query.append(name, asText(value).slice(0, 2000))
    }
    if (r.chance(0.1)) query.append(r.pick(['null', 'limit', 'offset', 'color']), r.pick(['', '1', '-1', 'x']))
    const [broken] = r.chance(0.05) ? query.keys() : []
    const text = query.toString() + (broken === undefined ? '' : `&${broken}=${r.pick(BROKEN_QUERY)}`)
    return text === '' ? '' : `?${text}`
  }

  #body({ operation }: Target, right: boolean): { body: Buffer | null; type: string | null } {
    const r = this.#random
    const content = Object.entries(operation.requestBody?.content ?? {})
    if (content.length === 0) return { body: null, type: null }
    const [type, { schema }] = r.pick(content)
    const sent_type = r.chance(0.05) ? r.pick(['text/plain', 'application/xml', 'multipart/form-data', 'a/b;c']) : type
    if (schema === undefined) return { body: r.pick(BYTES), type: sent_type }
    if (r.chance(0.03)) return { body: Buffer.from(r.pick(BROKEN_JSON)), type: sent_type }
    if (r.chance(0.01)) return { body: r.pick(type === form ? HEAVY_FORMS : HEAVY_JSON), type }
    let value = this.#values.of(schema)
    if (!right) for (let i = 1 + r.below(3); i > 0; i--) value = this.#values.spoilt(value)
    if (type === form) {
      const pairs = Object.entries(value ?? {}).map(([k, v]): [string, string] => [k, asText(v)])
      return { body: Buffer.from(new URLSearchParams(pairs).toString()), type: sent_type }
    }
    return { body: Buffer.from(JSON.stringify(value) ?? ''), type: sent_type }
  }
}

/** Sends it unchanged: adds only the headers that HTTP requires. */
export function send(agent: http.Agent, base_url: string, { method, url, headers, body }: Attempt): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(body.length) }
    const path = new URL(base_url).pathname.replace(/\/$/, '') + url
    const request = http.request(
      base_url,
      { agent, method, path, headers: { ...clean(headers), ...length } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        )
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(body ?? undefined)
  })
}

/** As a path, a query, or a form can contain it. */
const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

/** Node refuses to send some of these headers, so they are left out. */
const clean = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)))
