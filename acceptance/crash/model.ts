import { isDeepStrictEqual } from 'node:util'
import type { Random } from '../fuzz/random.ts'
import type { Findings } from './findings.ts'
import type { Outcome } from './http.ts'
import { isObject, one, type Resource } from './json.ts'

/** The model of one kind of record: its expected state, derived from responses alone. */

type Fields = Record<string, unknown>

export interface Expected {
  /** Identifies the record among all of its kind; the writer chooses a new one each time. */
  mark: string
  there: 'yes' | 'no' | 'maybe'
  id: string | null
  /** Possible values of each field: one, or more after a change of unknown outcome. */
  fields: Map<string, unknown[]>
}

/** A record as the API returns it. */
export interface Found {
  mark: string
  id: string | null
  fields: Fields
}

const presence = { done: 'yes', refused: 'no', unknown: 'maybe' } as const
const absence = { done: 'no', refused: 'yes', unknown: 'maybe' } as const

export class Model {
  readonly kind: string
  readonly #all = new Map<string, Expected>()

  constructor(kind: string) {
    this.kind = kind
  }

  /** Adds a record that a writer requested. */
  created(mark: string, fields: Fields, outcome: Outcome): Expected {
    const expected: Expected = {
      mark,
      there: presence[outcome.kind],
      id: outcome.kind === 'done' ? idIn(outcome.body) : null,
      fields: new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
    }
    this.#all.set(mark, expected)
    return expected
  }

  changed(expected: Expected, fields: Fields, outcome: Outcome): void {
    for (const [name, value] of Object.entries(fields)) {
      if (outcome.kind === 'done') expected.fields.set(name, [value])
      if (outcome.kind === 'unknown') expected.fields.set(name, [...(expected.fields.get(name) ?? []), value])
    }
  }

  removed(expected: Expected, outcome: Outcome): void {
    expected.there = absence[outcome.kind]
  }

  /** Existing records without unknown outcomes. */
  settled(): Expected[] {
    return [...this.#all.values()].filter(
      (expected) =>
        expected.there === 'yes' && expected.id !== null && [...expected.fields.values()].every((v) => v.length === 1),
    )
  }

  all(): Expected[] {
    return [...this.#all.values()]
  }

  pick(random: Random): Expected | undefined {
    const settled = this.settled()
    return settled.length === 0 ? undefined : random.pick(settled)
  }

  /** Compares with all existing records of this kind. Afterward no outcome is unknown. */
  compare(found: readonly Found[], findings: Findings): void {
    const by_id = new Map(
      [...this.#all.values()].flatMap((expected) => (expected.id === null ? [] : [[expected.id, expected]])),
    )
    const seen = new Map<Expected, Found[]>()
    for (const each of found) {
      const expected = by_id.get(each.id ?? '') ?? this.#all.get(each.mark)
      if (expected === undefined) findings.wrong(`${this.kind} ${each.mark} (${each.id}) was never asked for`)
      else seen.set(expected, [...(seen.get(expected) ?? []), each])
    }
    for (const expected of this.#all.values()) this.#compareOne(expected, seen.get(expected) ?? [], findings)
  }

  /** The same with resources of the API, one of whose attributes is the mark. */
  compareResources(found: readonly Resource[], mark: string, findings: Findings): void {
    this.compare(
      found.map(({ id, attributes }) => ({ id, mark: String(attributes[mark]), fields: attributes })),
      findings,
    )
  }

  #compareOne(expected: Expected, found: readonly Found[], findings: Findings): void {
    const name = `${this.kind} ${expected.mark}`
    const [first] = found
    if (found.length > 1) findings.double(`${name} is there ${found.length} times`)
    if (first === undefined) {
      if (expected.there === 'yes') findings.lose(`${name} (${expected.id}) is not there`)
      expected.there = 'no'
      return
    }
    if (expected.there === 'no') findings.wrong(`${name} is there, although it was refused or deleted`)
    expected.there = 'yes'
    expected.id = first.id
    for (const [field, possible] of expected.fields) {
      const value = first.fields[field]
      if (!possible.some((each) => isDeepStrictEqual(each, value)))
        findings.lose(
          `${name}: ${field} is ${JSON.stringify(value)} and must be ${possible.map((v) => JSON.stringify(v)).join(' or ')}`,
        )
      expected.fields.set(field, [value])
    }
  }
}

/** Some operations respond without a body, others with a body that is not a document. */
function idIn(body: unknown): string | null {
  return isObject(body) && isObject(body['data']) && 'id' in body['data'] ? one(body).id : null
}
