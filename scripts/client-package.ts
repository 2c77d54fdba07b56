import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import manifest from '../api/package.json' with { type: 'json' }

/**
 * `node scripts/client-package.ts [FOLDER]`: builds the published client, in `dist/client` by default, ready for `npm pack
 * FOLDER`. The folder has its own manifest, because inside the repository the package is TypeScript that runs without a build.
 */

const root = path.resolve(import.meta.dirname, '..')
const api = path.join(root, 'api')
const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist/client'))

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', path.join(api, 'tsconfig.package.json'), '--outDir', folder], {
  stdio: 'inherit',
})
for (const file of globSync('**/*.d.ts', { cwd: folder })) importJavaScript(path.join(folder, file))
for (const file of globSync('**/*.js.map', { cwd: folder })) nameSource(path.join(folder, file))
copyFileSync(path.join(api, 'README.md'), path.join(folder, 'README.md'))
for (const name of ['LICENSE', 'NOTICE']) copyFileSync(path.join(root, name), path.join(folder, name))
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`)

/** The compiler rewrites imports in JavaScript only; declarations still refer to the TypeScript files, which are not published. */
function importJavaScript(file: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'))
}

/** A map has its source's text. The compiler writes its path in this checkout, which would differ in each. */
function nameSource(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8'))
  map.sources = [path.basename(file).replace(/\.js\.map$/, '.ts')]
  writeFileSync(file, JSON.stringify(map))
}

function published() {
  const { name, version, description, license, type, sideEffects, exports, dependencies } = manifest
  const entry = (source: string) => {
    const built = source.replace('./src/', './').replace(/\.ts$/, '')
    return { types: `${built}.d.ts`, default: `${built}.js` }
  }
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects,
    engines: { node: '>=20' },
    exports: {
      ...Object.fromEntries(Object.entries(exports).map(([at, source]) => [at, entry(source)])),
      './package.json': './package.json',
    },
    // any later version with the same major, so that a project that also uses zod installs it once
    dependencies: Object.fromEntries(Object.entries(dependencies).map(([each, exact]) => [each, `^${exact}`])),
  }
}
