import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, inflateSync } from 'node:zlib'
import pg from 'pg'
import { readPdf } from '../../src/port-orders/loa/testing/order.ts'

/** Named secrets to search for in everything that the service writes. */
export type Canaries = Readonly<Record<string, string>>

/** Something that the service wrote, with its content. */
export interface Artifact {
  name: string
  bytes: Buffer
}

/** The canaries that are found in these artifacts, in any encoding. */
export const leaksIn = (artifacts: readonly Artifact[], canaries: Canaries): string[] =>
  artifacts.flatMap(({ name, bytes }) =>
    Object.entries(canaries)
      .filter(([, canary]) => encodings(canary).some((encoding) => bytes.includes(encoding)))
      .map(([canary]) => `${canary} in ${name}`),
  )

function encodings(canary: string): Buffer[] {
  const bytes = Buffer.from(canary)
  const wide = Buffer.from(canary, 'utf16le')
  const words = [canary, encodeURIComponent(canary), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')]
  // a signing secret is the base64 of bytes, which are secret too
  const own = /^whsec_(.+)$/.exec(canary)?.[1]
  const inside = own === undefined ? [] : [Buffer.from(own), Buffer.from(own, 'base64')]
  return [...words.map((word) => Buffer.from(word)), wide, Buffer.from(wide).swap16(), ...inside]
}

/** Every file below a folder, and the content of compressed ones: gzip, and the streams and the text of PDFs. */
export function filesBelow(folder: string): Artifact[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .flatMap((name) => unpacked({ name, bytes: readFileSync(path.join(folder, name)) }))
}

export function unpacked({ name, bytes }: Artifact): Artifact[] {
  const inside = (what: string, bytes: Buffer) => ({ name: `${name} (${what})`, bytes })
  if (bytes.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])))
    return [{ name, bytes }, inside('unzipped', gunzipSync(bytes))]
  if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) return [{ name, bytes }]
  return [
    { name, bytes },
    ...pdfStreams(bytes).map((stream, n) => inside(`stream ${n}`, stream)),
    inside('text', Buffer.from(readPdf(bytes).join('\n'))),
  ]
}

/** The streams of a PDF, decompressed if needed. */
function pdfStreams(pdf: Buffer): Buffer[] {
  const source = pdf.toString('latin1')
  return [...source.matchAll(/<<([^]*?)>>\s*stream\r?\n([^]*?)\r?\nendstream/g)].map(([, head = '', body = '']) => {
    const bytes = Buffer.from(body, 'latin1')
    return head.includes('/FlateDecode') ? inflateSync(bytes) : bytes
  })
}

/**
 * Every row of every table, as text: what `pg_dump` writes. pg_dump itself must be as new as the server, and the embedded
 * server ships without it.
 */
export async function databaseDump(url: string): Promise<Artifact[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const artifacts: Artifact[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`)
      artifacts.push({ name: `table ${name}`, bytes: Buffer.from(rows.map(({ line }) => line).join('\n')) })
    }
    return artifacts
  } finally {
    await client.end()
  }
}
