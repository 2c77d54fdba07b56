import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** The portal's source, and what is built from it. */

const root = path.resolve(import.meta.dirname, '..')
const dist = path.join(import.meta.dirname, 'dist')
/** Everything that the built files depend on. */
const inputs = [
  'portal/{index.html,vite.config.ts,source.ts,package.json}',
  'portal/{src,public}/**/*.*',
  'api/src/**/*.ts',
  'package-lock.json',
]

/** The folder with what is built from the source as it is now; built first unless it is there. */
export async function builtPortal(): Promise<string> {
  const folder = path.join(dist, await sourceDigest())
  if (!existsSync(folder)) await buildInto(folder)
  return folder
}

/** Names what was built, so that the same source is not built again. */
async function sourceDigest(): Promise<string> {
  const files = globSync(inputs, { cwd: root, exclude: ['**/*.test.{ts,tsx}'] }).toSorted()
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file))))
  const hash = createHash('sha256')
  for (const [i, text] of texts.entries()) hash.update(`${files[i]}\0${text.length}\0`).update(text)
  return hash.digest('hex').slice(0, 16)
}

/** The folder appears when everything is in it. Processes that start together may build at once: the first one's stays. */
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

/** Writes `.gz` and `.br` beside each file, so that no response waits for a compressor. */
async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  const texts = names.filter((name) => /\.(html|js|css|svg)$/.test(name))
  await Promise.all(
    texts.map(async (name) => {
      const file = path.join(folder, name)
      const text = await readFile(file)
      // 11, the best, would take as long as the build
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
      await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }))
      await writeFile(`${file}.br`, await promisify(brotliCompress)(text, { params }))
    }),
  )
}
