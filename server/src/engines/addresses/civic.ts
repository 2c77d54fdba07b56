import { CIVIC, CIVIC_EXTENSION, EXTENSIONS } from './pidf.ts'
import type { XmlElement } from './validators/xml.ts'

/** The elements of a street in the order of its words (RFC 5139, RFC 6848): modifiers, directions, types, and the name. */
const STREET = ['PRM', 'PRD', 'STP', 'RD', 'STS', 'POD', 'POM'] as const

/** Reads elements of a civicAddress and records which ones were read, because the others are unchecked (RFC 5222, 8.4.2). */
export class CivicReader {
  readonly #elements: readonly XmlElement[]
  readonly #read = new Set<XmlElement>()

  constructor({ children }: XmlElement) {
    this.#elements = children
  }

  /** The value of the first of these elements that has one; otherwise empty. */
  value(...names: readonly string[]): string {
    for (const name of names) {
      const [first, ...others] = this.#named(name)
      if (!first) continue
      // the schema allows one; if there are more, all must agree, because a verdict is about a name
      if (others.every(({ text }) => text === first.text)) for (const one of [first, ...others]) this.#read.add(one)
      return first.text
    }
    return ''
  }

  /** The value without recording that it was read. */
  peek(name: string): string {
    return this.#named(name)[0]?.text ?? ''
  }

  /** The words of the street in one text. */
  street(): string {
    return STREET.map((name) => this.value(name))
      .filter((word) => word !== '')
      .join(' ')
  }

  wasRead(element: XmlElement): boolean {
    return this.#read.has(element)
  }

  #named(name: string): XmlElement[] {
    const namespace = EXTENSIONS.has(name) ? CIVIC_EXTENSION : CIVIC
    return this.#elements.filter((one) => one.name === name && one.namespace === namespace && one.text !== '')
  }
}
