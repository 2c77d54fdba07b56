import type { Random } from './random.ts'
import type { Document, Schema } from './document.ts'

/** Values for requests: generated from a schema, taken from responses, or hostile. */

/** Inputs that break parsers, databases, spreadsheets, and logs. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  9007199254740992,
  '',
  ' ',
  '0',
  'null',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b\ufeff',
  '😀'.repeat(50),
  'x'.repeat(10_000),
  "'; drop table account; --",
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  '../../etc/passwd',
  '%00',
  '=1+1',
  'http://169.254.169.254/latest/meta-data',
  '2025-02-30 25:61:61',
  '99999999999999999999',
  [],
  {},
  [[]],
  [null],
  { constructor: 1 },
  { toString: 'x' },
]

/** Values from responses, by member name: they get requests past the first check. */
export class Seen {
  readonly #values = new Map<string, unknown[]>()

  collect(value: unknown, name = ''): void {
    if (Array.isArray(value)) for (const each of value) this.collect(each, name)
    else if (typeof value === 'object' && value !== null) {
      if ('type' in value && 'id' in value && typeof value.type === 'string') this.#add(`${value.type}.id`, value.id)
      for (const [key, inner] of Object.entries(value)) this.collect(inner, key)
    } else if (value !== null && name !== '') this.#add(name, value)
  }

  of(name: string): readonly unknown[] {
    return this.#values.get(name) ?? []
  }

  /** Ids of resources whose type ends with this: `export` matches a cdrexport, `key` an access_key or an operator_key. */
  ids(type: string): readonly unknown[] {
    return [...this.#values].flatMap(([name, values]) => (name.endsWith(`${type}.id`) ? values : []))
  }

  /** The last forty, because older ones may have been deleted. */
  #add(name: string, value: unknown): void {
    const known = this.#values.get(name) ?? []
    if (!known.includes(value)) this.#values.set(name, [...known.slice(-39), value])
  }
}

export class Values {
  readonly #random: Random
  readonly #document: Document
  readonly #seen: Seen

  constructor(random: Random, document: Document, seen: Seen) {
    this.#random = random
    this.#document = document
    this.#seen = seen
  }

  hostile(): unknown {
    return this.#random.pick(HOSTILE)
  }

  /** A value that roughly matches the schema: it may or may not match a pattern. */
  of(schema: Schema, name = '', depth = 0): unknown {
    const r = this.#random
    const seen = this.#seen.of(name)
    if (seen.length > 0 && r.chance(0.5) && !('properties' in schema)) return r.pick(seen)
    const reference = schema['$ref']
    if (typeof reference === 'string') return this.of(this.#resolve(reference), name, depth)
    if ('const' in schema) return schema['const']
    const options = schema['enum'] ?? schema['examples']
    const use = schema['enum'] !== undefined || schema['pattern'] !== undefined || r.chance(0.5)
    if (use && Array.isArray(options) && options.length > 0) return r.pick(options as unknown[])
    const alternatives = schema['oneOf'] ?? schema['anyOf'] ?? schema['allOf']
    if (Array.isArray(alternatives) && alternatives.length > 0)
      return this.of(r.pick(alternatives as Schema[]), name, depth)
    const type = [schema['type']].flat()
    switch (r.pick(type)) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return Array.from({ length: r.below(4) }, () => this.of((schema['items'] ?? {}) as Schema, name, depth + 1))
      case 'integer':
      case 'number':
        return r.chance(0.8) ? r.below(1000) : r.below(2 ** 31) - 2 ** 30
      case 'boolean':
        return r.chance(0.5)
      case 'null':
        return null
      default:
        return this.#text(schema)
    }
  }

  /** The value with one of its members replaced, removed or added. */
  spoilt(value: unknown): unknown {
    const r = this.#random
    if (typeof value !== 'object' || value === null || r.chance(0.15)) return this.hostile()
    if (Array.isArray(value))
      return value.length === 0 ? [this.hostile()] : value.with(r.below(value.length), this.hostile())
    const entries = Object.entries(value)
    if (entries.length === 0 || r.chance(0.1))
      return { ...value, [r.pick(['color', 'id', '', '__proto', 'data'])]: this.hostile() }
    const [key, inner] = r.pick(entries)
    if (r.chance(0.2)) return Object.fromEntries(entries.filter(([name]) => name !== key))
    return { ...value, [key]: r.chance(0.6) ? this.spoilt(inner) : this.hostile() }
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
    const required = new Set((schema['required'] ?? []) as string[])
    const chosen = properties.filter(([name]) => required.has(name) || this.#random.chance(depth > 3 ? 0.2 : 0.5))
    const made = Object.fromEntries(chosen.map(([name, inner]) => [name, this.of(inner, name, depth + 1)]))
    const ids = typeof made['type'] === 'string' ? this.#seen.ids(made['type']) : []
    return 'id' in made && ids.length > 0 && this.#random.chance(0.8) ? { ...made, id: this.#random.pick(ids) } : made
  }

  #text({ pattern, format, maxLength }: Schema): string {
    const r = this.#random
    if (format === 'date') return '2026-03-02'
    if (format === 'date-time') return '2026-03-02T12:00:00Z'
    if (typeof pattern === 'string' && pattern.includes('\\d')) return String(r.below(10 ** (1 + r.below(11))))
    const words = ['Harbor', 'St. Mary', 'Ceder St', 'Zoë', '12B', '+12065550100', 'https://example.com/x', 'WA', 'US']
    return r.pick(words).slice(0, typeof maxLength === 'number' ? maxLength : undefined)
  }

  #resolve(reference: string): Schema {
    const found = this.#document.components.schemas[reference.replace('#/components/schemas/', '')]
    if (!found) throw new Error(`openapi.json has no ${reference}`)
    return found
  }
}
