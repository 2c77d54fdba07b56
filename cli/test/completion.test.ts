import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { json, main, resultOf, stub, type Stub } from './support/process.ts'
import { runLine } from './support/run.ts'

/** Completion by the program itself, and in real shells if they are installed. */

const orders = [
  { type: 'portorder', id: '1005', attributes: { status: 'Rejected', alias: 'Westfield: fax' } },
  { type: 'portorder', id: '1008', attributes: { status: 'Pending', alias: 'Recall line' } },
]

let server: Stub
let folder: string
before(async () => {
  server = await stub(json({ data: orders, links: {} }))
  folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-completion-'))
  await writeFile(path.join(folder, 'demarc'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  })
  for (const shell of ['bash', 'zsh', 'fish'])
    await writeFile(path.join(folder, shell), (await runLine(`completion ${shell}`)).stdout)
})
after(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

/** The completions after these words; the last word is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await runLine(`complete -- ${words.map((word) => `"${word}"`).join(' ')}`, {
    env: server.env,
  })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
}

test('completes nouns, verbs, options, and values', async () => {
  assert.deepEqual(await offered('numbers'), ['numbers', ':4'])
  assert.deepEqual(await offered('port', 'co'), ['completion', 'comments', 'comment', ':4'])
  assert.deepEqual(await offered('port', 'list', '--cre'), ['--created-from', '--created-before', ':4'])
  assert.deepEqual(await offered('port', 'list', '--status', 'Re'), ['Rejected', 'Review', ':4'])
  assert.deepEqual(await offered('port', 'list', '--status=Re'), ['--status=Rejected', '--status=Review', ':4'])
  assert.deepEqual(await offered('--json', '--profile', 'x', 'cnam', 'ap'), ['approve', ':4'])
})

test('requests IDs from the service', async () => {
  assert.deepEqual(await offered('port', 'get', ''), ['1005', '1008', ':4'])
})

test('leaves file names to the shell', async () => {
  assert.deepEqual(await offered('cnam', 'create', '--data', ''), [':0'])
  assert.deepEqual(await offered('port', 'upload', '1008', ''), [':0'])
})

test('completes nothing, silently, if the service is not responding', async () => {
  const silent = await stub(() => undefined)
  const line = 'complete -- port get ""'
  assert.deepEqual(await runLine(line, { env: silent.env }), { status: 0, stdout: ':4\n', stderr: '' })
  await silent.close()
  assert.deepEqual(await runLine(line, { env: silent.env }), { status: 0, stdout: ':4\n', stderr: '' })
})

const missing = (shell: string) => spawnSync(shell, ['-c', ':']).error !== undefined && `${shell} is not installed`

async function inShell(shell: string, args: readonly string[]): Promise<string> {
  const env = { ...server.env, PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', FOLDER: folder }
  const { status, stdout, stderr } = await resultOf(spawn(shell, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  assert.equal(status, 0, stderr)
  return stdout
}

test('bash completes commands, values after =, and ids', { skip: missing('bash') }, async () => {
  const script = `
    source "$FOLDER/bash"; source "$FOLDER/bash"
    compopt() { :; }
    try() { COMP_LINE=$1; COMP_POINT=\${#1}; _demarc; echo "$(printf '%s ' "\${COMPREPLY[@]}")"; }
    try 'demarc numbers'; try 'demarc port get '; try 'demarc port list --status=Re'; try 'demarc numbers update "$(exit 9)" --al'`
  const lines = (await inShell('bash', ['--norc', '--noprofile', '-c', script])).split('\n')
  assert.deepEqual(lines.map((line) => line.trim()).slice(0, 4), ['numbers', '1005 1008', 'Rejected Review', '--alias'])
})

test('fish completes commands and IDs with descriptions', { skip: missing('fish') }, async () => {
  const ask = (line: string) => `complete -C '${line}'`
  const script = `source $FOLDER/fish; ${ask('demarc numbers')}; ${ask('demarc port get ')}; ${ask('demarc port list --status R')}`
  const lines = (await inShell('fish', ['--no-config', '-c', script])).split('\n')
  assert.deepEqual(lines.map((line) => line.replace('\t', ' | ')).slice(0, 5), [
    'numbers | Phone numbers: alias, voice routes, caller ID name, emergency address',
    '1005 | Rejected Westfield: fax',
    '1008 | Pending Recall line',
    'Rejected',
    'Review',
  ])
})

test('zsh completes commands and ids at its prompt', { skip: missing('zsh') }, async () => {
  const script = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    ask() { zpty -w shell "$1"; }
    until_seen() { local out; zpty -r shell out "*$1*" && print -r -- seen; }
    ask 'autoload -Uz compinit; compinit -u -D; source $FOLDER/zsh; PS1=; echo "rea""dy"'; until_seen ready
    zpty -w -n shell $'demarc port ge\\t'; until_seen 'port get'
    zpty -w -n shell $'1005\\C-u'
    zpty -w -n shell $'demarc port get \\t\\t'; until_seen 'Recall line'
    zpty -d shell`
  assert.equal(await inShell('zsh', ['-f', '-c', script]), 'seen\nseen\nseen\n')
})
