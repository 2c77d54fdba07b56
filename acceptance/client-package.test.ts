import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { openBrowser, skipped } from './support/chromium.ts'
import { startFailingServer } from './support/failing-server.ts'

/** The client as published: packed, installed into an empty project, and used as a customer would. Nothing is downloaded. */

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..')
const programs = path.join(import.meta.dirname, 'client-package')
const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-package-'))
const project = path.join(folder, 'project')
const installed = path.join(project, 'node_modules/@demarc/client')
after(() => rmSync(folder, { recursive: true }))
const server = await startFailingServer()

before(async () => {
  const dist = path.join(folder, 'dist')
  await run(process.execPath, [path.join(root, 'scripts/client-package.ts'), dist])
  const packed = await Promise.all([dist, path.join(root, 'node_modules/zod')].map(pack))
  mkdirSync(project)
  writeFileSync(path.join(project, 'package.json'), '{"name": "project", "private": true, "type": "module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...packed], { cwd: project })
  cpSync(programs, path.join(project, 'src'), { recursive: true })
})

/** The package's tarball, as `npm publish` would send it. */
async function pack(of: string): Promise<string> {
  const args = ['pack', of, '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse((await run('npm', args, { cwd: folder })).stdout)
  return path.join(folder, filename)
}

test('the package has JavaScript, declarations, and source maps, and neither tests nor sources', () => {
  const files = globSync('**/*', { cwd: installed }).filter((file) => path.extname(file) !== '')
  const kinds = new Set(files.map((file) => file.replace(/^.*?(\.d\.ts|\.js\.map|\.\w+)$/, '$1')))
  assert.deepEqual([...kinds].toSorted(), ['.d.ts', '.js', '.js.map', '.json', '.md'])
  assert.ok(files.length > 100)
  for (const file of files.filter((each) => each.endsWith('.js'))) {
    const map = JSON.parse(readFileSync(path.join(installed, `${file}.map`), 'utf8'))
    assert.equal(map.sourcesContent.length, 1, file)
    assert.doesNotMatch(file, /\.test\./)
  }
  for (const file of files.filter((each) => each.endsWith('.d.ts')))
    assert.doesNotMatch(readFileSync(path.join(installed, file), 'utf8'), /(?<!\.d)\.ts['"]/, file)
})

const file = 'the calls of an export'
const sha256 = createHash('sha256').update(file).digest('hex')
const attributes = { status: 'completed', format: 'csv', sha256, bytes: file.length, download_url: 'http://x/file?s=1' }
const completed = { status: 200, body: { data: { id: '2', attributes } } }
const twoNumbers = { status: 200, body: { data: [1, 2], links: { self: 'x' } } }

/** The Node version that runs the tests, and another if this machine has one. */
const nodes = [
  process.execPath,
  ...(process.env['PATH'] ?? '').split(':').map((each) => path.join(each, 'node')),
].filter((each) => existsSync(each))
const versionOf = (node: string) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
const versions = new Map(nodes.map((node) => [versionOf(node), node]))

for (const [version, node] of versions)
  test(
    `plain JavaScript calls it on Node ${version}`,
    { skip: Number(version.slice(1, 3)) < 20 && 'too old' },
    async () => {
      server.plan({ status: 503 }, twoNumbers, { status: 404 }, completed, { status: 200, body: file })
      const { stdout } = await run(node, ['src/plain.js', server.base_url, `${version}.csv.gz`], { cwd: project })
      assert.deepEqual(JSON.parse(stdout), {
        node: Number(version.slice(1, 3)),
        numbers: 2,
        error: 'NotFoundError',
        is: [true, false],
        bytes: file.length,
        event: 'cdrexport.completed',
      })
    },
  )

/** The guide's examples, one file each; `demarc` is the client that the first example creates. */
function examples(): string[] {
  const guide = readFileSync(path.join(root, 'docs/guide/typed-client.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)
  return blocks.map((code, index) => {
    const declared = /const demarc\b/.test(code) || !/\bdemarc[.,)]/.test(code)
    const prelude = `import type { DemarcClient } from '@demarc/client'\ndeclare const demarc: DemarcClient\n`
    const file = `src/example-${index}.ts`
    writeFileSync(path.join(project, file), `${declared ? '' : prelude}${code}\nexport {}\n`)
    return file
  })
}

for (const [version, compiler] of [
  ['5', path.join(import.meta.dirname, 'node_modules/typescript/bin/tsc')],
  ['7', path.join(root, 'node_modules/typescript/bin/tsc')],
] as const)
  test(`TypeScript ${version} accepts correct code, rejects incorrect code, and accepts every example in the guide`, async () => {
    assert.match((await run(process.execPath, [compiler, '--version'])).stdout, new RegExp(`Version ${version}\\.`))
    const types = path.join(project, 'node_modules/@types')
    if (!existsSync(types)) symlinkSync(path.join(root, 'node_modules/@types'), types)
    const files = examples()
    assert.ok(files.length > 10)
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
      '--skipLibCheck',
    ]
    await compiled(compiler, [...options, 'src/types.ts', ...files])
  })

test('the declarations compile on their own, with browser types only', async () => {
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2023']
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
  await compiled(compiler, [
    ...options,
    '--types',
    '',
    '--lib',
    'es2023,dom,dom.iterable,dom.asynciterable',
    'src/types.ts',
  ])
})

async function compiled(compiler: string, args: readonly string[]): Promise<void> {
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...args], { cwd: project, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
}

/** Modules that contribute code to a bundle. */
const inBundle = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])),
  )

/** A browser bundle and its modules. Fails if it needs a Node module. */
async function bundle(code: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: path.join(project, 'src') },
    absWorkingDir: project,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
  })
  const text = outputFiles[0]?.text ?? ''
  return { text, bytes: gzipSync(text).length, modules: inBundle(metafile) }
}

test('a bundle contains only what is used: no zod without schemas, and no Node modules', async () => {
  const used = await bundle(readFileSync(path.join(programs, 'browser.js'), 'utf8'))
  const everything = await bundle(`export * from '@demarc/client'`)
  const call = `console.log(await client.getNumber({ params: { number: '1' } }))`
  const shapes = await bundle(
    `import { createClient, numbers } from '@demarc/client'
     const client = createClient({ getNumber: numbers.getNumber }, { base_url: '/' }); ${call}`,
  )
  for (const [name, { modules, text }] of Object.entries({ used, shapes, everything })) {
    assert.deepEqual(
      modules.filter((each) => each.includes('/node/')),
      [],
      name,
    )
    assert.doesNotMatch(text, /node:|\brequire\(/, name)
  }
  assert.deepEqual(
    used.modules.filter((each) => each.includes('zod') || each.includes('port-orders')),
    [],
  )
  assert.ok(used.bytes < 12_000, `${used.bytes} bytes, gzip`)
  assert.ok(used.bytes * 6 < everything.bytes, `${used.bytes} of ${everything.bytes}`)
  assert.ok(shapes.bytes < everything.bytes * 0.7, `${shapes.bytes} of ${everything.bytes}`)
})

/** Serves the browser program: a list (on the second request), an export, and its file. */
const planForBrowser = (...before: Parameters<typeof server.plan>) =>
  server.plan(...before, { status: 503 }, 'reset', twoNumbers, completed, { status: 200, body: file })

const expected = { numbers: 2, text: file, type: 'cdrexport.completed' }

test('the bundle runs with browser globals only', async () => {
  const { text } = await bundle(readFileSync(path.join(programs, 'browser.js'), 'utf8'))
  const web = {
    AbortController,
    Headers,
    ReadableStream,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
  }
  const document = { title: '' }
  const timers = { clearTimeout, performance, setTimeout }
  const context: object = vm.createContext({
    ...web,
    ...timers,
    atob,
    btoa,
    console,
    crypto,
    document,
    // browsers refuse to call it as a method
    fetch(this: unknown, ...args: Parameters<typeof fetch>) {
      if (this !== undefined && this !== context) throw new TypeError('Illegal invocation')
      return fetch(...args)
    },
    location: { origin: server.base_url },
  })
  planForBrowser()
  await vm.runInContext(`(async () => { ${text} })()`, context)
  assert.deepEqual(JSON.parse(document.title), expected)
})

test('the bundle runs in a browser', { skip: skipped }, async () => {
  const { text } = await bundle(readFileSync(path.join(programs, 'browser.js'), 'utf8'))
  const html = { 'content-type': 'text/html' }
  planForBrowser({
    status: 200,
    headers: html,
    body: `<link rel="icon" href="data:,"><script type="module">${text}</script>`,
  })
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(server.base_url)
    await page.waitForFunction("document.title !== ''")
    assert.deepEqual(JSON.parse(await page.title()), expected)
  } finally {
    await browser.close()
  }
})

test('without zod the light client still runs', async () => {
  const light = path.join(folder, 'light')
  cpSync(installed, path.join(light, 'node_modules/@demarc/client'), { recursive: true })
  writeFileSync(
    path.join(light, 'main.mjs'),
    `import { createDemarcClient } from '@demarc/client/light'; console.log(typeof createDemarcClient({ base_url: 'http://x' }).getNumber)`,
  )
  assert.equal((await run(process.execPath, ['main.mjs'], { cwd: light })).stdout, 'function\n')
})
