import { SaxesParser, type SaxesTagNS } from 'saxes'

/** An element of a parsed document. */
export interface XmlElement {
  /** Without its prefix. */
  name: string
  /** The namespace of its prefix, or the default namespace; may be empty. */
  namespace: string
  /** By name as written, with prefix. */
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  /** The trimmed text directly within it. */
  text: string
}

export class XmlError extends Error {}

const CHARACTERS_MAX = 256 * 1024
const DEPTH_MAX = 32
const ELEMENTS_MAX = 5_000

interface OpenElement extends XmlElement {
  children: XmlElement[]
}

/**
 * Parses the XML of a location server: elements, attributes, text, comments, CDATA. Refuses document type declarations, and so
 * all entities except the five of XML itself, processing instructions, and documents that are too large or too deep. Throws
 * XmlError.
 */
export function parseXml(text: string): XmlElement {
  if (text.length > CHARACTERS_MAX) throw new XmlError('the document is too large')
  const parser = new SaxesParser({ xmlns: true, position: false })
  let root: XmlElement | undefined
  let elements = 0
  const open: OpenElement[] = []
  const append = (characters: string) => {
    const element = open.at(-1)
    if (element) element.text += characters
  }
  parser.on('error', (error) => {
    throw new XmlError(error.message, { cause: error })
  })
  parser.on('doctype', () => {
    throw new XmlError('a document type declaration is not allowed')
  })
  parser.on('processinginstruction', () => {
    throw new XmlError('processing instructions are not allowed')
  })
  parser.on('opentag', (tag) => {
    if (open.length > DEPTH_MAX) throw new XmlError('the document is too deep')
    if (++elements > ELEMENTS_MAX) throw new XmlError('the document has too many elements')
    const element = opened(tag)
    open.at(-1)?.children.push(element)
    open.push(element)
    root ??= element
  })
  parser.on('text', append)
  parser.on('cdata', append)
  parser.on('closetag', () => {
    const element = open.pop()
    if (element) element.text = element.text.trim()
  })
  parser.write(text).close()
  if (!root) throw new XmlError('the document has no element')
  return root
}

/** The same for a client's document: the message of an XmlError instead of the root. */
export function readXml(text: string): XmlElement | string {
  try {
    return parseXml(text)
  } catch (error) {
    if (error instanceof XmlError) return error.message
    throw error
  }
}

function opened({ local, uri, attributes }: SaxesTagNS): OpenElement {
  const values = Object.values(attributes).map(({ name, value }) => [name, value] as const)
  return { name: local, namespace: uri, attributes: new Map(values), children: [], text: '' }
}
