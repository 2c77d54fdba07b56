import { signedFacts } from '../facts.ts'
import type { SignedFacts, Signing } from '../facts.ts'
import type { LoaOrder } from '../form.ts'

/** An order and a signing for tests. */

export const order: LoaOrder = {
  numbers: ['+12065550101', '+12065550100'],
  billing_name: 'Łukasz Żółć',
  street: '88 Pine Street',
  street2: null,
  city: 'Seattle',
  state: 'WA',
  zip: '98101',
  country: 'US',
  provider: 'Simulated Telephone',
  usage_type: 'Business',
  company: 'Zażółć Gęślą Inc.',
}

export const signing: Signing = {
  port_order_id: '1042',
  order,
  gaining_carrier: 'Demarc Telephone',
  version: '1',
  signature: { name: 'Zoë Núñez', title: 'Owner' },
  signed_at: new Date('2025-06-16T14:03:22Z'),
}

export const factsOf = (change: Partial<Signing> = {}): SignedFacts => signedFacts({ ...signing, ...change })

/** The text of an LOA, page by page, read from its drawing commands through the ToUnicode tables of the fonts. */
export function readPdf(pdf: Uint8Array): string[] {
  const source = Buffer.from(pdf).toString('latin1')
  const objects = new Map(
    [...source.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = '', body = '']) => [id, body]),
  )
  const referred = (body: string, key: string) =>
    objects.get(new RegExp(`/${key} (\\d+) 0 R`).exec(body)?.[1] ?? '') ?? ''
  const tables = new Map<string, string[]>()
  for (const [, name = '', id = ''] of source.matchAll(/\/(F\d+) (\d+) 0 R/g))
    tables.set(name, unicodeTable(referred(objects.get(id) ?? '', 'ToUnicode')))
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\n/.test(body))
  return pages.map((page) => {
    const lines = [...referred(page, 'Contents').matchAll(/\/(F\d+) [\d.]+ Tf\n\[(.*?)\] TJ/g)]
    return lines
      .map(([, font = '', run = '']) =>
        glyphs(run)
          .map((g) => tables.get(font)?.[g] ?? '\uFFFD')
          .join(''),
      )
      .join('\n')
  })
}

const glyphs = (run: string) =>
  [...run.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => (hex.match(/.{4}/g) ?? []).map((g) => parseInt(g, 16)))

function unicodeTable(cmap: string): string[] {
  const table: string[] = []
  for (const [, first = '', list = ''] of cmap.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/g))
    for (const [i, [, hex = '']] of [...list.matchAll(/<([0-9a-f ]+)>/g)].entries())
      table[parseInt(first, 16) + i] = String.fromCharCode(...hex.split(' ').map((unit) => parseInt(unit, 16)))
  return table
}
