import type { Duplex } from 'node:stream'
import { asText } from './connection.ts'

/** Rows of our own reads, read from the packets of the connection instead of from the driver's message for each of them. */

export type Row = Record<string, unknown>

/** How the rows of a statement are read: Postgres describes them once per connection. */
export interface RowShape {
  columns: readonly { name: string; parse: (text: string) => unknown }[]
  /** A row of nulls, of which all are copies, so that they have one layout in memory. */
  blank: Readonly<Row>
}

export function rowShape(columns: RowShape['columns']): RowShape {
  return { columns, blank: Object.fromEntries(columns.map(({ name }) => [name, null])) }
}

/** Takes those messages of a packet that are rows: whole ones, from one position to another. */
export type RowSink = (packet: Buffer, from: number, to: number) => void

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: a letter, then the length of what follows with the length itself. */
const HEADER_BYTES = 5
const DATA_ROW = 'D'.charCodeAt(0)

/** Stands between the socket of a connection and the driver's parser, and gives rows to the sink while there is one. */
export class RowTap {
  sink: RowSink | null = null
  readonly #parse: (packet: Buffer) => void
  /** The beginning of a message whose end has not arrived. */
  #begun: Buffer[] = []
  #begun_bytes = 0
  #wanted_bytes = 0

  private constructor(parse: (packet: Buffer) => void) {
    this.#parse = parse
  }

  /** On a connection that is ready and idle. Undefined where the driver reads in another way than we know. */
  static of(stream: Duplex): RowTap | undefined {
    const [listener, ...others] = stream.listeners('data')
    if (!listener || others.length > 0) return undefined
    const tap = new RowTap((packet) => void listener.call(stream, packet))
    stream.removeAllListeners('data')
    stream.on('data', (packet: Buffer) => tap.#arrive(packet))
    return tap
  }

  #arrive(arrived: Buffer): void {
    if (this.#begun_bytes === 0) return this.#split(arrived)
    this.#begun.push(arrived)
    this.#begun_bytes += arrived.length
    if (this.#begun_bytes < this.#wanted_bytes) return
    const packet = Buffer.concat(this.#begun)
    this.#begun = []
    this.#begun_bytes = 0
    this.#split(packet)
  }

  #split(packet: Buffer): void {
    let parsed = 0
    let at = 0
    for (let end = endOf(packet, at); end <= packet.length; end = endOf(packet, at)) {
      if (packet[at] !== DATA_ROW || this.sink === null) {
        at = end
        continue
      }
      // what is before a row says which statement has it
      if (parsed < at) this.#parse(packet.subarray(parsed, at))
      const first = at
      while (packet[at] === DATA_ROW && endOf(packet, at) <= packet.length) at = endOf(packet, at)
      this.sink(packet, first, at)
      parsed = at
    }
    if (parsed < at) this.#parse(parsed === 0 && at === packet.length ? packet : packet.subarray(parsed, at))
    if (at === packet.length) return
    this.#begun = [packet.subarray(at)]
    this.#begun_bytes = packet.length - at
    this.#wanted_bytes = endOf(packet, at) - at
  }
}

/** Of a message whose length has not arrived: at least that of its header. */
const endOf = (packet: Buffer, at: number): number =>
  at + HEADER_BYTES > packet.length ? at + HEADER_BYTES : at + 1 + int32(packet, at + 1)

/** Reads rows from a packet. Their texts are parts of one, because decoding each costs more than all else of a row. */
export function readRowsFrom(
  packet: Buffer,
  from: number,
  to: number,
  { columns, blank }: RowShape,
  rows: Row[],
): void {
  const all = packet.toString('latin1', from, to)
  for (let next = from; next < to;) {
    // after the header, the count of its columns
    let at = next + HEADER_BYTES + 2
    next += 1 + int32(packet, next + 1)
    const row: Row = { ...blank }
    for (const { name, parse } of columns) {
      const length = int32(packet, at)
      at += 4
      if (length < 0) continue
      const end = at + length
      const text = isShortAscii(packet, at, end) ? all.slice(at - from, end - from) : packet.toString('utf8', at, end)
      row[name] = parse === asText ? text : parse(text)
      at = end
    }
    rows.push(row)
  }
}

/** Longer texts are decoded faster by themselves than their bytes are looked at. */
const SHORT_BYTES = 64

function isShortAscii(packet: Buffer, from: number, to: number): boolean {
  if (to - from > SHORT_BYTES) return false
  let bits = 0
  for (let at = from; at < to; at++) bits |= packet[at] ?? 0
  return bits < 0x80
}

/** By hand, because it is read for every field; -1 is null. */
const int32 = (packet: Buffer, at: number): number =>
  ((packet[at] ?? 0) << 24) | ((packet[at + 1] ?? 0) << 16) | ((packet[at + 2] ?? 0) << 8) | (packet[at + 3] ?? 0)
