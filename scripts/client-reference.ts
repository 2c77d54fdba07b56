import path from 'node:path'
import { operations, type Operation } from '@demarc/client'
import { exportedDeclarations, type Declared, type Member } from './declarations.ts'

/** The client's reference, generated from the docstrings of its exports and from the operations. */

const sources = path.resolve(import.meta.dirname, '../api/src')

/** docs/reference/client.md. Throws for an export without a docstring. */
export function clientReference(): string {
  const light = exportedDeclarations(path.join(sources, 'client/index.ts'))
  const node = exportedDeclarations(path.join(sources, 'node/index.ts'))
  const names = new Set(light.map(({ name }) => name))
  const rest = exportedDeclarations(path.join(sources, 'index.ts')).filter(({ name }) => !names.has(name))
  const of = (...kinds: Declared['kind'][]) => light.filter(({ kind }) => kinds.includes(kind))
  const isError = ({ kind, name }: Declared) => kind === 'class' && name.endsWith('Error')
  return `${[
    '# Client reference',
    'Every export of `@demarc/client`, from the docstrings in its source. The guide is [Typed client](../guide/typed-client.md). Written by `npm run check -- --write`.',
    '## Methods',
    'One per operation. `params` are the path parameters; lists also have `all`. `openapi.json` has the bodies and responses.',
    ...methods(),
    '## Functions and constants',
    ...of('function', 'const').map(entry),
    '## Errors',
    ...light.filter(isError).map(entry),
    '## Types',
    ...light.filter((each) => !isError(each) && ['class', 'interface', 'type'].includes(each.kind)).map(entry),
    '## `@demarc/client/node`',
    ...node.map(entry),
    '## Only in `@demarc/client`',
    'Not in `@demarc/client/light`.',
    ...rest.map(entry),
  ].join('\n\n')}\n`
}

function methods(): string[] {
  const features = Map.groupBy(Object.values<Operation>(operations), ({ feature }) => feature)
  return [...features].flatMap(([feature, each]) => [
    `### ${feature}`,
    ['| Method | Request | |', '|---|---|---|', ...each.map(methodRow)].join('\n'),
  ])
}

function methodRow({ id, method, path: at, params, query, body, summary }: Operation): string {
  const input = [
    ...(params ? [`params: {${Object.keys(params.shape).join(', ')}}`] : []),
    ...(query ? [`query: {${Object.keys(query.shape).join(', ')}}`] : []),
    ...(body ? ['bytes' in body ? 'body, content_type' : 'body'] : []),
  ]
  const argument = input.length === 0 ? '' : `{${input.join(', ')}}`
  return `| \`${id}(${argument})\` | ${method} \`${at}\` | ${summary} |`
}

function entry({ name, kind, doc, signature, members, file }: Declared): string {
  if (doc === '' && members.length === 0)
    throw new Error(`${name} in ${path.relative(sources, file)} has no docstring.`)
  const code = signature === '' ? [] : [`\`\`\`ts\n${signature}\n\`\`\``]
  return [`### ${name}`, ...(doc === '' ? [] : [doc]), ...(kind === 'module' ? [] : code), ...table(members)].join(
    '\n\n',
  )
}

function table(members: readonly Member[]): string[] {
  if (members.length === 0) return []
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = members.map(({ text, doc }) => `| \`${cell(text)}\` | ${cell(doc)} |`)
  return [['| Member | |', '|---|---|', ...rows].join('\n')]
}
