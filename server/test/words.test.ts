import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseSync, type Program } from 'oxc-parser'
import { enforced, retiredPhrases } from './retired-phrases.ts'

/** Retired words in identifiers, names of files, and prose are refused, with what to write instead. */

const root = path.resolve(import.meta.dirname, '../..')

/** Retired words with their forms, and what to write instead. */
const retired: readonly (readonly [RegExp, string])[] = [
  [/^doors?$/, 'public API'],
  [/^(rings?|rang|rung|ringing|bells?|doorbells?)$/, 'enqueue, schedule, wake'],
  [/^(looks?|looked|looking|beats?|hears?|heard|hearing)$/, 'poll, heartbeat, subscribe, notification'],
  [/^(tells?|told|telling|teller|notes?|noted|noting)$/, 'emit, notify, record; details'],
  [/^(answers?|answered|answering)$/, 'response; result, return'],
  [/^(faults?|faulty)$/, 'error, field_errors; unavailable'],
  [/^(wish|wishes|wished)$/, 'input, request'],
  [/^hold$/, 'lockForShare, lockForUpdate'],
  [/^movers?$/, 'the actor of the transition'],
  [/^(doctors?|patients?|healthy|sick)$/, 'check, order, valid, invalid'],
  [/^(judges?|judged|judging|judge?ments?|verdicts?)$/, 'validate, assess; outcome, result'],
  [/^(foresight|garbage|oddit(y|ies))$/, 'the term for it'],
  [/^(remembers?|remembered|remembering|forgets?|forgot|forgotten|forgetting)$/, 'cache, invalidate'],
]

/** Names that say nothing about a type or a file. */
const tooGeneral = /^(parts?|places?|known|things?|stuff|letter)$/i

/** Identifiers that use a retired word literally, and why they stay. */
const allowed: Readonly<Record<string, string>> = {
  answered: 'of a telephone call, in call records',
  ANSWERED: 'of a telephone call, as Asterisk writes it',
  NO_ANSWER: 'of a telephone call, as FreeSWITCH writes it',
  no_answer: 'of a telephone call, in call records',
  doctor: 'the command that checks an installation, as other command lines call it',
  hold: 'legal hold',
  hold_reason: 'legal hold',
  setHold: 'legal hold',
  setLegalHold: 'legal hold',
  LegalHold: 'legal hold',
  distinctive_ring: 'a service of a telephone line',
  DOCTOR: 'a word in the names of streets',
  fault: 'what a test of reliability injects',
  FaultRow: 'those that were injected',
  healthy: 'the health of the call-record engine, as health checks call it',
  verdict: 'RFC 5222 for one element; on the wire the column of a validated file',
  verdicts: 'RFC 5222; on the wire the counts of a validated file',
  Verdict: 'that of the validated file',
  VerdictCounts: 'those of the validated file',
  e911Verdicts: 'those of the validated file',
  ElementVerdicts: 'RFC 5222',
  elementVerdicts: 'RFC 5222',
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')

/** Why a name is refused; null if it isn't. */
function refusal(name: string): string | null {
  const words = wordsOf(name)
  for (const [i, word] of words.entries()) {
    // "look up" is the usual term
    if (/^look(s|ed|ing)?$/.test(word) && words[i + 1] === 'up') continue
    const found = retired.find(([forms]) => forms.test(word))
    if (found) return `${word}: write ${found[1]}`
  }
  if (/(^|_)ways?_out(_|$)/.test(words.join('_'))) return 'way out: write egress, outbound; remedy'
  return null
}

interface Node {
  type: string
  [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Node fields whose names are declared elsewhere: object members, and names that an import or a pattern renames. */
const foreign: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  ImportSpecifier: 'imported',
  TSQualifiedName: 'right',
}

/** The identifiers that a file declares, and the free ones that it uses, which are declared in it or in another file. */
function identifiersOf(program: Program): Set<string> {
  const found = new Set<string>()
  const visit = (node: Node, parent: Node | null): void => {
    if ((node.type === 'Identifier' || node.type === 'PrivateIdentifier') && typeof node['name'] === 'string')
      found.add(node['name'])
    for (const [field, value] of Object.entries(node)) {
      if (foreign[node.type] === field && node['computed'] !== true) continue
      if (node.type === 'Property' && field === 'key' && parent?.type === 'ObjectPattern' && !node['shorthand'])
        continue
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node)
    }
  }
  if (isNode(program)) visit(program, null)
  return found
}

function identifiersIn(file: string, text: string): Set<string> {
  const { program, errors } = parseSync(file, text)
  assert.deepEqual(errors, [], file)
  return identifiersOf(program)
}

/** Types with names that fit anything. */
const generalTypes = (text: string): string[] =>
  [...text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => tooGeneral.test(name))

const files = globSync('{api,server,scripts,acceptance,bench,cli,portal}/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.includes('node_modules') && !file.endsWith('.test.ts'),
)
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')

test('no identifier has a retired word', () => {
  const found = files.flatMap((file) =>
    [...identifiersIn(file, textOf(file))].flatMap((name) => {
      const reason = Object.hasOwn(allowed, name) ? null : refusal(name)
      return reason === null ? [] : [`${file}: ${name} has ${reason}`]
    }),
  )
  assert.deepEqual(found, [])
})

test('no file or type has a catch-all name, and no file name has a retired word', () => {
  const found = files.flatMap((file) => {
    const name = path.basename(file, '.ts')
    const reason = Object.hasOwn(allowed, name) ? null : refusal(name)
    return [
      ...(reason === null ? [] : [`${file} has ${reason}`]),
      ...(tooGeneral.test(name) ? [`${file} could hold anything: name it by what is in it`] : []),
      ...generalTypes(textOf(file)).map((type) => `${file}: ${type} could be anything: name it by what it is`),
    ]
  })
  assert.deepEqual(found, [])
})

test('every allowed identifier exists', () => {
  const existing = new Set(files.flatMap((file) => [...identifiersIn(file, textOf(file))]))
  assert.deepEqual(
    Object.keys(allowed).filter((name) => !existing.has(name)),
    [],
  )
})

test('the rule refuses retired words in any declaration', () => {
  const refused = [
    'function tellFoo() {}',
    'export const ring_bell = 1',
    'let [first, heard] = []',
    'const { name: wishName } = given',
    'const { wishes = 1 } = given',
    'const send = (answer: string) => answer',
    'const send = async ({ fault }: Given) => fault',
    'class Queue { #door = 1 }',
    'class Queue { noteEvent() {} }',
    'class Queue { constructor(mover: string) {} }',
    'interface Order { judged_at: Date }',
    'type Send = (wayOut: string) => void',
    'type HTTPAnswer = string',
    'type Of<Patient> = Patient[]',
    "import { send as tell } from './send.ts'",
    'export { send as tell }',
    'const document = { told: true }',
    'try { send() } catch (garbage) { send(garbage) }',
    'for (const bell of bells) send(bell)',
  ]
  for (const text of refused)
    assert.ok(
      [...identifiersIn('refused.ts', text)].map(refusal).some((reason) => reason !== null),
      text,
    )
  const accepted = [
    'const string = heartbeat(brings, footnote, lookup, stringHolder)',
    'function lookUpAddress() {}',
    'given.answer.tell(response.note)',
    "import { tell as send } from 'library'",
    'const { answer: response } = given',
    '// tell the bell\nconst text = "a wish"',
  ]
  for (const text of accepted)
    assert.deepEqual([...identifiersIn('accepted.ts', text)].map(refusal).filter(Boolean), [], text)
  assert.deepEqual(generalTypes('interface Parts {}\nexport type Place = string\ninterface StreetParts {}'), [
    'Parts',
    'Place',
  ])
})

test('STYLE.md lists a replacement for each retired word', () => {
  const table = textOf('STYLE.md').split('## Words')[1] ?? assert.fail()
  const named = new Set(wordsOf([...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell).join(' ')))
  for (const [forms] of retired)
    assert.ok(
      [...named].some((word) => forms.test(word)),
      String(forms),
    )
})

/** Comments and strings of a source file, with their lines. A string without a space is a value, not prose. */
function proseOf(file: string, text: string): [number, string][] {
  const { program, comments } = parseSync(file, text)
  const found = comments.map(({ start, value }): [number, string] => [start, value])
  const visit = (node: Node): void => {
    const raw = node.type === 'TemplateElement' ? text.slice(Number(node['start']), Number(node['end'])) : node['value']
    if (/^(Literal|JSXText|TemplateElement)$/.test(node.type) && typeof raw === 'string' && /\s/.test(raw.trim()))
      found.push([Number(node['start']), raw])
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
  }
  if (isNode(program)) visit(program)
  return found
}

/** Retired phrases in a text, ignoring code between backticks. */
const phrasesIn = (prose: string): [number, string][] =>
  retiredPhrases.flatMap(([phrase, instead]) => {
    const found = phrase.exec(prose.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)))
    return found === null ? [] : [[found.index, `“${found[0]}”: write ${instead}`] satisfies [number, string]]
  })

const isEnforced = (file: string) => enforced.some((each) => file === each || file.startsWith(`${each}/`))

test('no comment, test name, message or page of an enforced folder has a retired phrase', () => {
  const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length
  const prose = globSync('**/*.{ts,tsx,md}', { cwd: root, exclude: ['**/node_modules/**', 'data/**'] })
    .filter(
      (file) => isEnforced(file) && !/(^|\/)(retired-phrases|words\.test)\.ts$|^(CHANGELOG|LICENSE|NOTICE)/.test(file),
    )
    .flatMap((file) => {
      const text = textOf(file)
      const pieces: [number, string][] = file.endsWith('.md') ? [[0, text]] : proseOf(file, text)
      return pieces.flatMap(([start, piece]) =>
        phrasesIn(piece).map(([at, phrase]) => `${file}:${lineOf(text, start + at)}: ${phrase}`),
      )
    })
  assert.deepEqual(prose, [])
})

test('the rule for prose refuses comments, messages and test names, and accepts values and code', () => {
  const refused = ['// mend it', 'const message = `somebody ${1} came`', "test('an order is cancelled', run)"]
  for (const text of refused)
    assert.ok(
      proseOf('refused.ts', text).some(([, prose]) => phrasesIn(prose).length > 0),
      text,
    )
  const accepted = [
    "const status = 'cancelled'",
    '// the value `cancelled` on the wire',
    "const text = 'canceled by someone'",
  ]
  for (const text of accepted)
    assert.deepEqual(
      proseOf('accepted.ts', text).flatMap(([, prose]) => phrasesIn(prose)),
      [],
      text,
    )
})
