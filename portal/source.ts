import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** The portal's source and its build. */

const root = path.resolve(import.meta.dirname, '..')
const dist = path.join(import.meta.dirname, 'dist')
/** The build of a packed release, which has no source. */
const packed = path.join(dist, 'packed')
/** All inputs of the build. */
const inputs = [
  'portal/{index.html,vite.config.ts,source.ts,package.json}',
  'portal/{src,public}/**/*.*',
  'api/src/**/*.ts',
  'package-lock.json',
]

/** Returns the build folder for the current source, building it first if needed. */
export async function builtPortal(): Promise<string> {
  if (existsSync(packed)) return packed
  const folder = path.join(dist, await sourceDigest())
  if (!existsSync(folder)) await buildInto(folder)
  return folder
}

/** Names the build, so the same source is not built twice. */
async function sourceDigest(): Promise<string> {
  const files = globSync(inputs, { cwd: root, exclude: ['**/*.test.{ts,tsx}'] }).toSorted()
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file))))
  const hash = createHash('sha256')
  for (const [i, text] of texts.entries()) hash.update(`${files[i]}\0${text.length}\0`).update(text)
  return hash.digest('hex').slice(0, 16)
}

/** The folder appears only when complete. If several processes build at the same time, the first to finish wins. */
async function buildInto(folder: string): Promise<void> {
  const { build } = await import('vite')
  const unfinished = `${folder}.${process.pid}`
  try {
    await build({ root: import.meta.dirname, build: { outDir: unfinished, emptyOutDir: true } })
    await compressAll(unfinished)
    for (const name of await readdir(dist))
      if (!name.includes('.') && name !== path.basename(folder)) await rm(path.join(dist, name), { recursive: true })
    await rename(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Precompresses each file as `.gz` and `.br`. */
async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  const texts = names.filter((name) => /\.(html|js|css|svg)$/.test(name))
  await Promise.all(
    texts.map(async (name) => {
      const file = path.join(folder, name)
      const text = await readFile(file)
      // the best, 11, takes as long as the build
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
      await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }))
      await writeFile(`${file}.br`, await promisify(brotliCompress)(text, { params }))
    }),
  )
}
