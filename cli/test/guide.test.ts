import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { environment } from '../../acceptance/support/environment.ts'

/** The guide's commands and recipes, run unchanged in a shell. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = (name: string) => readFile(path.join(root, 'docs/guide', name), 'utf8')
const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-guide-'))
after(() => rm(folder, { recursive: true }))

/** A page's code blocks with exactly this info string. */
const blocks = (page: string, fence: string): string[] =>
  [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, info, text = '']) => (info === fence ? [text] : []))

async function only(page: string, fence: string): Promise<string> {
  const [first = '', ...rest] = blocks(await guide(page), fence)
  assert.ok(first !== '' && rest.length === 0, `${page} has one block ${fence}`)
  return first
}

/** A program with this name in a folder at the front of PATH. */
async function program(name: string, text: string): Promise<void> {
  const file = path.join(folder, 'bin', name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
  await chmod(file, 0o755)
}

async function bash(script: string): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const file = path.join(folder, 'script')
  await writeFile(file, script)
  const child = spawn('bash', ['-e', file], {
    cwd: folder,
    env: {
      ...environment,
      PATH: `${folder}/bin:${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (written.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (written.stderr += String(chunk)))
  await once(child, 'close')
  return { status: child.exitCode, ...written }
}

test(
  'the ten commands port a number and verify an export, numbers are ordered, and the recipes run',
  { timeout: 900_000 },
  async () => {
    const main = path.join(root, 'cli/src/main.ts')
    await program('demarc', `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    // replaces what this machine lacks or must not do
    await program('aws', '#!/bin/sh\ntest -s "$3" && echo "stored $4"\n')
    await program('nft', '#!/bin/sh\necho "nft $*" >> nft.log\n')
    await program('nightly', await only('recipes/nightly-export.md', 'sh script'))
    await program('firewall', await only('recipes/firewall-by-cron.md', 'sh script'))
    const commands = blocks(await guide('ten-commands.md'), 'sh')
    const { status, stdout, stderr } = await bash(`
trap 'kill $(jobs -p); wait' EXIT
${commands.join('\n')}
mkdir spool rules
echo --- numbers
${await only('ordering-numbers.md', 'sh numbers')}
echo --- nightly
SPOOL=spool BUCKET=example nightly
echo --- firewall
export EDGE_STRATEGIES=1 RULES=rules
firewall
echo --- again
firewall
`)
    assert.equal(status, 0, stderr + stdout)
    assert.equal(commands.filter((block) => block.includes('demarc ')).length, 10, 'they are ten')
    const [ten = '', numbers = '', nightly = '', firewall = '', again = ''] = stdout.split(/^--- .*\n/m)
    assert.match(ten, /portorder\.completed|completed/)
    assert.match(ten, /SHA-256 verified/)
    assert.doesNotMatch(ten, /differs/)
    assert.match(numbers, /^12065550146\tlongcode\tSEATTLE[\s\S]+\n19715550146\t/, 'the word finds numbers')
    assert.match(numbers, /2065550146: released\.\n$/)
    assert.match(nightly, /stored s3:\/\/example\/calls\/[\d-]+\.csv\.gz\n/)
    assert.match(nightly, /stored s3:\/\/example\/calls\/[\d-]+\.verified\.csv\n/)
    assert.deepEqual(await readdir(path.join(folder, 'spool')), [])
    assert.match(firewall, /edge strategy 1:\n\+\t[\d.]+\/\d+\n/)
    assert.equal(again, '', 'nothing has changed')
    assert.deepEqual((await readFile(path.join(folder, 'rules/nft.log'), 'utf8')).trimEnd().split('\n'), [
      'nft -c -f edge-1.new',
      'nft -f edge-1.new',
    ])
  },
)
