import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { reliabilityPage } from './reliability/page.ts'
import { beginResult, keptResults, recovery } from './reliability/results.ts'

const page = new URL('../docs/operate/reliability.md', import.meta.url)

test('the reliability page matches its results', async () => {
  const made = reliabilityPage(await keptResults())
  assert.equal(await readFile(page, 'utf8'), made, 'npm run reliability makes it again')
})

test('every result names an existing command', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const { title, command } of await keptResults()) {
    const script = /^npm run (\S+)$/.exec(command)?.[1] ?? ''
    assert.ok(script in manifest.scripts, `${title}: ${command}`)
  }
})

test('a result shows what was injected, what was measured, and where', () => {
  const fault = { fault: 'SIGKILL of the worker', tries: 1200, lost: 0, doubled: 0 }
  const text = reliabilityPage([
    {
      title: 'Kills',
      about: 'What it does.',
      command: 'npm run kills',
      date: '2026-01-02',
      commit: 'abc',
      cores: 2,
      load: { before: 1, after: 2 },
      duration_s: 0,
      rows: [
        { ...fault, recovery_ms: recovery([4000, 1000, 2000]), remark: 'under load' },
        { ...fault, fault: 'nothing', recovery_ms: recovery([]) },
      ],
      figures: [{ name: 'Accepted, p99', value: '212 ms' }],
      remarks: ['All of it.'],
    },
  ])
  assert.deepEqual(text.slice(text.indexOf('## Kills')).split('\n'), [
    '## Kills',
    '',
    'What it does.',
    '',
    '`npm run kills` on 2026-01-02, commit abc, 2 cores, load 1 before and 2 after, 0 s.',
    '',
    '| Fault | Tries | Lost | Doubled | Recovery, median | longest |  |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    '| SIGKILL of the worker | 1,200 | 0 | 0 | 2.0 s | 4.0 s | under load |',
    '| nothing | 1,200 | 0 | 0 |  |  |  |',
    '',
    '| Measured |  |',
    '| --- | --- |',
    '| Accepted, p99 | 212 ms |',
    '',
    '- All of it.',
    '',
  ])
})

test('a result is stored only when recording is on', async () => {
  delete process.env['DEMARC_RECORD']
  const before = await keptResults()
  const run = beginResult('tried', { title: 'Tried', about: 'Without keeping it.', command: 'npm run tried' })
  const { title, remarks } = await run.finish([], ['Nothing.'])
  assert.deepEqual({ title, remarks }, { title: 'Tried', remarks: ['Nothing.'] })
  assert.deepEqual(await keptResults(), before)
})
