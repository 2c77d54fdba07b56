import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync, type Comment, type Declaration, type Program } from 'oxc-parser'

/** The exports of a TypeScript file, with docstrings and signatures, for reference pages. */

export interface Declared {
  name: string
  kind: 'function' | 'const' | 'class' | 'interface' | 'type' | 'module'
  /** The docstring on one line; empty if there is none. */
  doc: string
  /** The declaration without its body; for classes and interfaces, what they extend. */
  signature: string
  /** Public members of classes and interfaces. */
  members: readonly Member[]
  file: string
}

export interface Member {
  /** `name?: type`. */
  text: string
  doc: string
}

interface Source {
  file: string
  text: string
  comments: readonly Comment[]
  program: Program
}

/** The exports of a file in order, including re-exports. */
export function exportedDeclarations(file: string): Declared[] {
  const source = parsed(file)
  return source.program.body.flatMap((node): Declared[] => {
    if (node.type === 'ExportAllDeclaration') {
      const target = path.resolve(path.dirname(file), node.source.value)
      if (node.exported === null) return exportedDeclarations(target)
      const name = source.text.slice(node.exported.start, node.exported.end)
      return [{ name, kind: 'module', doc: headOf(parsed(target)), signature: '', members: [], file: target }]
    }
    if (node.type !== 'ExportNamedDeclaration') return []
    if (node.declaration) return declared(source, node.declaration, docBefore(source, node.start))
    if (!node.source) return []
    const all = exportedDeclarations(path.resolve(path.dirname(file), node.source.value))
    return node.specifiers.flatMap(({ local }) => {
      const name = source.text.slice(local.start, local.end)
      const found = all.filter((each) => each.name === name)
      if (found.length === 0) throw new Error(`${file} exports ${name}, which is not found.`)
      return found
    })
  })
}

function parsed(file: string): Source {
  const text = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? ''}`)
  return { file, text, comments, program }
}

function declared(source: Source, node: Declaration, doc: string): Declared[] {
  const { file, text } = source
  const upTo = (end: number) => oneLine(text.slice(node.start, end))
  switch (node.type) {
    case 'FunctionDeclaration': {
      const signature = upTo(node.body?.start ?? node.end).replace(/^async /, '')
      return [{ name: node.id?.name ?? '', kind: 'function', doc, signature, members: [], file }]
    }
    case 'VariableDeclaration':
      return node.declarations.map(({ id, init }) => {
        const name = oneLine(text.slice(id.start, id.end)).replace(/:.*$/, '')
        const arrow = init?.type === 'ArrowFunctionExpression' ? init : null
        const head = arrow ? oneLine(text.slice(arrow.start, arrow.body.start)).replace(/ ?=>$/, '') : ''
        const kind = arrow ? 'function' : 'const'
        const signature = arrow
          ? `function ${name}${head.replace(/^async /, '')}`
          : `const ${text.slice(id.start, id.end)}`
        return { name, kind, doc, signature, members: [], file }
      })
    case 'ClassDeclaration':
      return [
        {
          name: node.id?.name ?? '',
          kind: 'class',
          doc,
          signature: upTo(node.body.start),
          members: node.body.body.flatMap((member) => memberOf(source, member)),
          file,
        },
      ]
    case 'TSInterfaceDeclaration': {
      const members = node.body.body.flatMap((member) => memberOf(source, member))
      return [{ name: node.id.name, kind: 'interface', doc, signature: upTo(node.body.start), members, file }]
    }
    case 'TSTypeAliasDeclaration':
      return [{ name: node.id.name, kind: 'type', doc, signature: text.slice(node.start, node.end), members: [], file }]
    default:
      return []
  }
}

/** Public members other than the constructor. */
function memberOf(source: Source, member: { type: string; start: number; end: number }): Member[] {
  const declared = source.text.slice(member.start, member.end)
  if (declared.startsWith('constructor') || declared.startsWith('#')) return []
  const head =
    member.type === 'MethodDefinition' ? declared.slice(0, declared.indexOf(' {')) : declared.replace(/ = .*$/s, '')
  const text = oneLine(head)
    .replace(/^(override |readonly )+/, '')
    .replace(/^get (\w+)\(\)/, '$1')
  return [{ text, doc: docBefore(source, member.start) }]
}

/** The docstring directly before a declaration. */
function docBefore({ comments, text }: Source, start: number): string {
  const found = comments.find(({ type, value, end }) => {
    return type === 'Block' && value.startsWith('*') && end <= start && text.slice(end, start).trim() === ''
  })
  return found ? proseOf(found.value) : ''
}

/** The docstring of a module: the first one that begins the file or is followed by an empty line. */
function headOf({ comments, text }: Source): string {
  const found = comments.find(
    ({ value, start, end }) => value.startsWith('*') && (start === 0 || text.startsWith('\n\n', end)),
  )
  return found ? proseOf(found.value) : ''
}

const proseOf = (comment: string): string =>
  comment
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim()

const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1')
    .trim()
