import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@demarc/client'
import { openService, type Keys, type Service } from '../../acceptance/support/service.ts'
import { nouns, topVerbs } from '../src/catalog.ts'
import { runLine, type Result } from './support/run.ts'
import type { Transcript, World } from './support/transcript.ts'
import { accountTranscripts } from './transcripts/account.ts'
import { inventoryTranscripts } from './transcripts/inventory.ts'
import { longTranscripts } from './transcripts/long-verbs.ts'
import { numberTranscripts } from './transcripts/numbers.ts'
import { operatorTranscripts } from './transcripts/operator.ts'
import { portTranscripts } from './transcripts/port.ts'
import { programTranscripts } from './transcripts/program.ts'

/** Every command against one seeded service: a line that succeeds and one that is refused, in every output format. */

const transcripts: readonly Transcript[] = [
  ...numberTranscripts,
  ...inventoryTranscripts,
  ...accountTranscripts,
  ...portTranscripts,
  ...operatorTranscripts,
  ...programTranscripts,
  ...longTranscripts,
]

type Form = 'plain' | 'table' | 'json' | 'ndjson' | 'csv' | 'ids'
/** `npm test` runs every command as a person does, the rest of the full suite in the forms for scripts. */
const quick_forms: readonly Form[] = ['plain']
const other_forms: readonly Form[] = ['json', 'table', 'ndjson', 'csv', 'ids']
const suite = process.env['DEMARC_TEST_SUITE']
const forms = [...(suite === 'rest' ? [] : quick_forms), ...(suite === 'quick' ? [] : other_forms)]
/** Errors have only these two forms. */
const error_forms: readonly Form[] = ['plain', 'json']

let world: World
before(async () => {
  const service = await openService()
  world = { service, folder: await mkdtemp(path.join(os.tmpdir(), 'demarc-cli-')) }
})
after(async () => {
  await world.service.stop()
  await rm(world.folder, { recursive: true })
})

const environment = ({ base_url }: Service, { access_key, secret_key }: Keys) => ({
  DEMARC_URL: base_url,
  DEMARC_ACCESS_KEY: access_key,
  DEMARC_SECRET_KEY: secret_key,
})

async function runAs(transcript: Transcript, line: string, form: Form): Promise<Result> {
  const { service, folder } = world
  const keys = service.keys[transcript.as ?? 'account']
  return runLine(form === 'plain' ? line : `${line} --${form}`, {
    env: environment(service, keys),
    home: folder,
    ...(transcript.stdin === undefined ? {} : { stdin: transcript.stdin }),
  })
}

for (const transcript of transcripts)
  describe(`demarc ${transcript.command}`, () => {
    const { command, success, refusal, status } = transcript
    for (const [run, form] of (transcript.bytes ? forms.filter((form) => form === 'plain') : forms).entries()) {
      test(`succeeds as ${form}`, async () => {
        const line = typeof success === 'string' ? success : await success(world, run)
        assert.ok(line.startsWith(command), line)
        const result = await runAs(transcript, line, form)
        assert.equal(result.status, 0, `${line}\n${result.stderr}`)
        if (!transcript.bytes) assertForm(form, result.stdout)
        if (form === 'plain') assert.match(result.stdout, transcript.shows ?? /(?:)/)
        assert.doesNotMatch(result.stderr, /error/)
      })
    }
    for (const form of forms.filter((each) => error_forms.includes(each)))
      test(`is refused with its exit status, as ${form}`, async () => {
        const line = typeof refusal === 'string' ? refusal : await refusal(world)
        const result = await runAs(transcript, line, form)
        assert.equal(result.status, status, `${line}\n${result.stdout}${result.stderr}`)
        if (form === 'json') assertJsonError(result.stderr, status)
        else assert.match(result.stderr, /^error\[\w+\] .+[.?]$/m)
      })
  })

/** What each format guarantees. */
function assertForm(form: Form, text: string): void {
  assert.ok(!text.includes('\u001b'), 'no codes of a terminal in a pipe')
  if (form === 'json') JSON.parse(text)
  else if (text === '') return
  else assert.ok(text.endsWith('\n'))
  const lines = text.trimEnd().split(form === 'csv' ? '\r\n' : '\n')
  if (form === 'ndjson') for (const line of lines) JSON.parse(line)
  if (form === 'ids') for (const line of lines) assert.match(line, /^[^\t]+$/)
  if (form === 'csv') assert.equal(new Set(lines.map(columnsOf)).size, 1, text)
}

/** The number of cells in a CSV line without line breaks in its cells. */
const columnsOf = (line: string): number => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length

function assertJsonError(text: string, status: number): void {
  const { error } = JSON.parse(text)
  assert.equal(error.exit_status, status)
  assert.ok(error.errors.length > 0)
}

test('every command has a transcript', async () => {
  const loaded = await Promise.all(nouns.map(({ load }) => load()))
  const commands = [
    ...loaded.flatMap(({ name, verbs }) => verbs.map((verb) => `${name} ${verb.name}`)),
    ...topVerbs.map(({ name }) => name),
  ]
  assert.deepEqual(
    commands.filter((command) => !transcripts.some((each) => each.command === command)),
    [],
  )
})

/** Operations without a verb, with the reason. */
const without: Readonly<Record<string, string>> = {
  getEdgeStrategyAsOperator: '`edge-strategy get` does the same with an operator key',
  listEdgeStrategiesAsOperator: '`edge-strategy list` does the same with an operator key',
  listNotificationsAsOperator: '`webhooks list` shows those of all accounts with an operator key',
  replayNotificationAsOperator: '`webhooks replay` takes an operator key',
  ...ofPeople(),
}

/** The command line uses access keys; these operations are for people signed in with a browser. */
function ofPeople(): Record<string, string> {
  const all = Object.values<Operation>(operations).filter(({ feature }) => feature === 'people')
  return Object.fromEntries(all.map(({ id }) => [id, 'it needs the session of a person, or begins one']))
}

test('every operation of the API has a verb, or the reason why not', async () => {
  const verbs = [
    ...(await Promise.all(nouns.map(({ load }) => load()))).flatMap(({ verbs }) => verbs),
    ...(await Promise.all(topVerbs.map(({ load }) => load()))),
  ]
  const used = new Set<string>(verbs.flatMap(({ operations = [] }) => operations))
  assert.deepEqual(
    Object.keys(operations).filter((name) => !used.has(name) && !Object.hasOwn(without, name)),
    [],
  )
  assert.deepEqual(
    Object.keys(without).filter((name) => used.has(name) || !Object.hasOwn(operations, name)),
    [],
  )
})

test('a noun matches its entry in the catalog', async () => {
  for (const entry of nouns) {
    const noun = await entry.load()
    assert.deepEqual([noun.name, noun.summary], [entry.name, entry.summary])
  }
  for (const entry of topVerbs) {
    const verb = await entry.load()
    assert.deepEqual([verb.name, verb.summary], [entry.name, entry.summary])
  }
})
