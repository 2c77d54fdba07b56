import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { environment } from '../../acceptance/support/environment.ts'
import { livePostmaster } from '../src/engines/postgres/process.ts'
import { untilGone } from './support/crash.ts'
import {
  childrenOf,
  hasEnded,
  isThere,
  main,
  newDemoFolder,
  newFolder,
  processNames,
  removeFolder,
  spawnService,
  startService,
  type Service,
} from './support/service.ts'
import { eventually } from './support/eventually.ts'

// One folder for all tests; each test starts its own service on it.
const folder = await newDemoFolder()
const running: Service[] = []
const start = async (options: Parameters<typeof startService>[1] = {}) => {
  const service = await startService(folder, options)
  running.push(service)
  return service
}
after(async () => {
  for (const service of running) if (!hasEnded(service.child)) await service.stop()
  await removeFolder(folder)
})

describe('a service that is stopped', () => {
  test('by SIGTERM exits within ten seconds, with code 0, and leaves no process', async () => {
    const service = await start()
    const pids = service.pids()
    assert.equal(pids.length, processNames.length)
    const { code, ms } = await service.stop()
    assert.equal(code, 0, service.output())
    assert.ok(ms < 10_000, `${ms} ms`)
    assert.deepEqual(pids.filter(isThere), [])
  })

  test('by Ctrl-C, which reaches the whole process group, exits just as cleanly', async () => {
    const service = await start({ own_group: true })
    const pids = service.pids()
    process.kill(-(service.child.pid ?? assert.fail()), 'SIGINT')
    await eventually(() => hasEnded(service.child), 10_000)
    assert.equal(service.child.exitCode, 0, service.output())
    assert.deepEqual(pids.filter(isThere), [])
    assert.doesNotMatch(service.output(), /"level":50/, 'no error is logged')
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    test(`through npm, with ${signal}, leaves no process either`, async () => {
      const { child, output } = spawnService(folder, { npm_script: 'start' })
      await eventually(() => hasEnded(child) || output().includes('Demarc is ready at'))
      const [service, ...more] = childrenOf(child.pid)
      assert.ok(service, output())
      assert.deepEqual(more, [], 'npm runs one process: no shell between it and the service')
      const pids = [service.pid, ...childrenOf(service.pid).map((p) => p.pid)]
      assert.equal(pids.length, processNames.length)
      child.kill(signal)
      await untilGone(pids)
    })

  test('during the start exits too', async () => {
    const { child, output } = spawnService(folder)
    await eventually(() => output().includes('"started"') || hasEnded(child))
    child.kill('SIGTERM')
    await eventually(() => hasEnded(child), 10_000)
    assert.equal(child.exitCode, 0, output())
    // its dependencies may be closed before the start notices; that is a warning, not an error with a stack
    assert.doesNotMatch(output(), /Demarc is ready|"level":50|^\s+at /m)
    await (await start()).stop()
  })

  test('by the exit of its parent, also while it is loaded', async () => {
    const dies = `import { registerHooks } from 'node:module'
      const parent = Number(process.env.PARENT)
      registerHooks({
        load(url, context, next) {
          if (url.endsWith('/start/stop.ts') && process.ppid === parent) process.kill(parent, 'SIGKILL')
          while (url.endsWith('/start/stop.ts') && process.ppid === parent);
          return next(url, context)
        },
      })`
    const shell = spawn(
      'sh',
      [
        '-c',
        'PARENT=$$ "$0" "$@" & echo $!; wait',
        process.execPath,
        '--import',
        `data:text/javascript,${encodeURIComponent(dies)}`,
        main,
        '--demo',
        '--with-parent',
      ],
      {
        env: { ...environment, DEMARC_DATA: path.join(folder, 'data'), DEMARC_PORT: '0' },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const [[pid], exit] = await Promise.all([once(shell.stdout.setEncoding('utf8'), 'data'), once(shell, 'exit')])
    assert.deepEqual(exit, [null, 'SIGKILL'])
    await eventually(() => !isThere(Number(pid)))
  })
})

describe('a second start', () => {
  test('finds the demo data, its keys and its events unchanged', async () => {
    const demo = () =>
      JSON.parse(readFileSync(path.join(folder, 'data', 'demo.json'), 'utf8')) as Record<string, unknown>
    const keys = (found: Record<string, unknown>) => ({ ...found, base_url: null })
    const before = demo()
    const service = await start()
    assert.deepEqual(keys(demo()), keys(before))
    assert.equal(demo()['base_url'], service.base_url)
    assert.equal(statSync(path.join(folder, 'data', 'demo.json')).mode & 0o777, 0o600)
    const created = (await service.operator.listEvents({ query: { event_type: 'account.created', limit: 10 } })).body
      .data
    assert.equal(created.length, 3)
    await service.stop()
  })

  test('on the same folder while the first runs shares its engines, and stops independently', async () => {
    const first = await start()
    const second = await start()
    assert.equal(second.pid('postgres'), undefined)
    assert.equal(second.pid('engine'), undefined)
    assert.equal((await second.account.listCdrExports()).status, 200)
    await second.stop()
    assert.equal((await first.account.listCdrExports()).status, 200)
    await first.stop()
  })

  test('behind a proxy serves while requests still arrive, each on a connection that it closes, and then exits', async () => {
    const first = await start()
    const api = await start({ env: { DEMARC_ROLE: 'api' } })
    const began = performance.now()
    const stopped = api.stop()
    let requested_ms = 0
    for (let now_ms = 0; now_ms < 4_000; now_ms = performance.now() - began) {
      const response = await fetch(`${api.base_url}/openapi.json`, { method: 'HEAD' }).catch((error: unknown) => {
        // a busy machine may have kept this process from sending for so long that the service saw no more requests
        if (now_ms - requested_ms < 1_000) throw error
      })
      if (!response) break
      assert.equal(response.status, 200)
      if (now_ms > 1_000) assert.equal(response.headers.get('connection'), 'close')
      requested_ms = now_ms
      await sleep(50)
    }
    const { code, ms } = await stopped
    assert.equal(code, 0)
    assert.ok(ms < 10_000, `${ms} ms`)
    await first.stop()
  })

  test('on a port that is in use prints the reason, and leaves nothing behind', async () => {
    const first = await start()
    const { port } = new URL(first.base_url)
    const other = await newFolder()
    const { child, output } = spawnService(other, { env: { DEMARC_PORT: port } })
    await eventually(() => hasEnded(child))
    assert.equal(child.exitCode, 1)
    assert.match(output(), new RegExp(`^Port ${port} on 127.0.0.1 is in use. Demarc may already be running.`, 'm'))
    assert.doesNotMatch(output(), /^ +at /m)
    const left = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout
    assert.equal(left.includes(other), false)
    await first.stop()
    await removeFolder(other)
  })
})

describe('after a kill -9', () => {
  test('of the main process all other processes exit, and the next start is clean', async () => {
    const service = await start()
    const pids = service.pids()
    process.kill(pids[0] ?? assert.fail(), 'SIGKILL')
    await untilGone(pids)
    const again = await start()
    assert.equal((await again.account.listCdrExports()).status, 200)
    assert.doesNotMatch(again.output(), /"level":(40|50)/, 'no warnings')
    await again.stop()
  })

  test('of the database server, repeatedly during the start, the start still completes', async () => {
    const cluster = path.join(folder, 'data', 'postgres', 'cluster')
    const { child, output } = spawnService(folder)
    const killed = new Set<number>()
    while (killed.size < 3) {
      let found: number | undefined
      await eventually(() => {
        assert.equal(hasEnded(child), false, output())
        const server = livePostmaster(cluster)
        found = server?.status === 'ready' && !killed.has(server.pid) ? server.pid : undefined
        return found !== undefined
      })
      process.kill(found ?? assert.fail(), 'SIGKILL')
      killed.add(found ?? assert.fail())
    }
    await eventually(() => hasEnded(child) || output().includes('Demarc is ready at'))
    assert.equal(child.exitCode, null, output())
    child.kill('SIGTERM')
    await eventually(() => hasEnded(child))
    assert.equal(child.exitCode, 0, output())
  })
})
