/** An element of a parsed document. */
export interface XmlElement {
  /** Without its prefix. */
  name: string
  /** The namespace its prefix, or the lack of one, stands for; empty when there is none. */
  namespace: string
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  /** The text directly within it, without the white space around it. */
  text: string
}

export class XmlError extends Error {}

const MOST_CHARACTERS = 256 * 1024
const MOST_DEPTH = 32
const MOST_ELEMENTS = 5_000
const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y
const SPACE = /[ \t\r\n]*/y
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads the XML that a location server answers with: elements, attributes, text, comments, CDATA. Refuses a document type
 * declaration, and with it all entities but the five of XML itself, processing instructions after the first line, and
 * anything too large or too deep. Throws XmlError.
 */
export function parseXml(text: string): XmlElement {
  if (text.length > MOST_CHARACTERS) throw new XmlError('the document is too large')
  return new Reader(text.replace(/^\ufeff/, '')).document()
}

class Reader {
  readonly #text: string
  #at = 0
  #elements = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): XmlElement {
    if (this.#text.startsWith('<?xml')) this.#skipPast('?>')
    this.#misc()
    const root = this.#element(
      new Map([
        ['', ''],
        ['xml', 'http://www.w3.org/XML/1998/namespace'],
      ]),
      0,
    )
    this.#misc()
    if (this.#at < this.#text.length) throw new XmlError('something follows the document')
    return root
  }

  #element(inherited: ReadonlyMap<string, string>, depth: number): XmlElement {
    if (depth > MOST_DEPTH) throw new XmlError('the document is too deep')
    if (++this.#elements > MOST_ELEMENTS) throw new XmlError('the document has too many elements')
    this.#expect('<')
    const tag = this.#name()
    const attributes = this.#attributes()
    const namespaces = declared(attributes, inherited)
    const [prefix, name] = split(tag)
    const namespace = namespaces.get(prefix)
    if (namespace === undefined) throw new XmlError('a prefix is not declared')
    const element = { name, namespace, attributes, children: [] as XmlElement[], text: '' }
    if (this.#take('/>')) return element
    this.#expect('>')
    while (!this.#take('</')) {
      if (this.#take('<![CDATA[')) element.text += this.#upTo(']]>')
      else if (this.#take('<!--')) this.#skipPast('-->')
      else if (this.#peek('<!') || this.#peek('<?')) throw new XmlError('declarations are not allowed')
      else if (this.#peek('<')) element.children.push(this.#element(namespaces, depth + 1))
      else element.text += this.#characters()
    }
    if (this.#name() !== tag) throw new XmlError('an element is not closed')
    this.#space()
    this.#expect('>')
    return { ...element, text: element.text.trim() }
  }

  #attributes(): Map<string, string> {
    const attributes = new Map<string, string>()
    for (;;) {
      const spaced = this.#space()
      if (this.#peek('>') || this.#peek('/>')) return attributes
      if (!spaced) throw new XmlError('attributes are not apart')
      const name = this.#name()
      this.#space()
      this.#expect('=')
      this.#space()
      const quote = this.#take('"') ? '"' : this.#take("'") ? "'" : undefined
      if (quote === undefined) throw new XmlError('an attribute is not quoted')
      if (attributes.has(name)) throw new XmlError('an attribute stands twice')
      const value = this.#upTo(quote)
      if (value.includes('<')) throw new XmlError('an attribute is not closed')
      attributes.set(name, unescape(value))
    }
  }

  #characters(): string {
    const end = this.#text.indexOf('<', this.#at)
    if (end < 0) throw new XmlError('the document ends early')
    const text = this.#text.slice(this.#at, end)
    this.#at = end
    return unescape(text)
  }

  /** White space and comments around the root. */
  #misc(): void {
    this.#space()
    while (this.#take('<!--')) {
      this.#skipPast('-->')
      this.#space()
    }
  }

  #name(): string {
    const name = this.#match(NAME)
    if (name === '') throw new XmlError('a name is missing')
    return name
  }

  #space(): boolean {
    return this.#match(SPACE) !== ''
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #peek(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false
    this.#at += text.length
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new XmlError(`"${text}" is missing`)
  }

  #upTo(end: string): string {
    const start = this.#at
    this.#skipPast(end)
    return this.#text.slice(start, this.#at - end.length)
  }

  #skipPast(end: string): void {
    const at = this.#text.indexOf(end, this.#at)
    if (at < 0) throw new XmlError('the document ends early')
    this.#at = at + end.length
  }
}

function declared(
  attributes: Map<string, string>,
  inherited: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const own = [...attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'))
  if (own.length === 0) return inherited
  return new Map([...inherited, ...own.map(([name, uri]) => [name === 'xmlns' ? '' : name.slice(6), uri] as const)])
}

/** Prefix and local name. */
function split(tag: string): [string, string] {
  const at = tag.indexOf(':')
  return at < 0 ? ['', tag] : [tag.slice(0, at), tag.slice(at + 1)]
}

function unescape(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+))?(;?)/g, (_, decimal, hex, name, end) => {
    const code = decimal === undefined ? (hex === undefined ? undefined : Number.parseInt(hex, 16)) : Number(decimal)
    const character =
      code === undefined ? ENTITIES[name ?? ''] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined
    if (character === undefined || end !== ';') throw new XmlError('an entity is not known')
    return character
  })
}
