import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { unlessMissing } from '../platform/files/staging.ts'
import { decrypt, encrypt } from './encryption.ts'
import {
  digestName,
  digestOf,
  manifestName,
  manifestText,
  readManifest,
  type Manifest,
  type StoredFile,
} from './manifest.ts'
import { BackupRefused } from './refused.ts'

/**
 * The folder of all backups:
 *
 *   2026-11-24T02-10-00Z/   one backup: its manifest, tables, and lists. Until it is complete, its name ends with `.unfinished`
 *   files/, calls/          files and call records, named by the SHA-256 of the bytes as stored, which backups share
 */

const chunk_bytes = 256 * 1024
const zstd_level = 3

const completeName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
const unfinished = '.unfinished'

/** Names of the complete backups, oldest first. */
export async function listBackups(dir: string): Promise<string[]> {
  const names = await unlessMissing(() => readdir(dir), [])
  return names.filter((name) => completeName.test(name)).toSorted()
}

/** The backup that a path names: itself, or the newest in it. Throws BackupRefused if there is none. */
export async function findBackup(path: string): Promise<{ dir: string; name: string }> {
  const isOne = await unlessMissing(async () => (await stat(join(path, manifestName))).isFile(), false)
  if (isOne) return { dir: dirname(resolve(path)), name: basename(resolve(path)) }
  const name = (await listBackups(path)).at(-1)
  if (name === undefined) throw new BackupRefused(`${path} has no complete backup.`)
  return { dir: path, name }
}

/** A backup that is being written. */
export interface BackupFolder {
  name: string
  recipients: string[]
  pathOf(path: string): string
  /** Writes a file of this backup. `is_public`: not encrypted, because it has only digests. */
  add(path: string, source: Readable, options?: { is_compressed?: boolean; is_public?: boolean }): Promise<StoredFile>
  /** Writes a file that backups share. */
  share(folder: string, source: Readable, suffix?: string): Promise<{ file: StoredFile; content: Content }>
  /** Whether a shared file is there. */
  has(file: StoredFile): Promise<boolean>
  read(file: StoredFile, encoding: { is_compressed?: boolean }): Promise<Readable>
  /** Writes the manifest, and renames the backup to its name. */
  complete(manifest: Manifest): Promise<void>
}

/** Begins a backup, and removes what interrupted ones left. */
export async function beginBackup(dir: string, now: Date, keys: readonly string[]): Promise<BackupFolder> {
  const name = `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const recipients = keys.toSorted()
  const draft = join(dir, `${name}${unfinished}`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  for (const each of await readdir(dir))
    if (each.endsWith(unfinished)) await rm(join(dir, each), { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  return {
    name,
    recipients,
    pathOf: (path) => join(draft, path),
    async add(path, source, { is_compressed = false, is_public = false } = {}) {
      const encoding = { is_compressed, recipients: is_public ? [] : recipients }
      const { file } = await writeStored(draft, () => path, source, encoding)
      return { ...file, path: `${name}/${file.path}` }
    },
    share: (folder, source, suffix = '') =>
      writeStored(dir, (sha256) => sharedName(folder, sha256, suffix), source, { is_compressed: false, recipients }),
    has: ({ path, bytes }) => unlessMissing(async () => (await stat(join(dir, path))).size === bytes, false),
    read: (file, encoding) => readStored(dir, file, encoding),
    async complete(manifest) {
      const text = manifestText(manifest)
      await writeFile(join(draft, manifestName), text, { mode: 0o600, flush: true })
      await writeFile(join(draft, digestName), `${digestOf(text)}  ${manifestName}\n`, { mode: 0o600, flush: true })
      await syncFolder(draft)
      await rename(draft, join(dir, name))
      await syncFolder(dir)
    },
  }
}

/** Folders of files have two levels, because there may be many. */
const sharedName = (folder: string, sha256: string, suffix: string): string =>
  folder === 'files'
    ? `files/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}${suffix}`
    : `${folder}/${sha256}${suffix}`

/** The newest backup for the same recipients, whose files need not be written again. */
export async function findPrevious(dir: string, recipients: readonly string[]): Promise<Manifest | null> {
  for (const name of (await listBackups(dir)).toReversed()) {
    const manifest = await readManifest(join(dir, name))
    if (manifest.recipients.join() === recipients.toSorted().join()) return manifest
  }
  return null
}

/** What a file had before it was compressed and encrypted. */
export interface Content {
  sha256: string
  bytes: number
}

/**
 * Writes a file under a temporary name, reads it back, and renames it. `pathOf` names it by the digest of the bytes as stored. An
 * encrypted file ends with `.age`.
 */
async function writeStored(
  dir: string,
  pathOf: (sha256: string) => string,
  source: Readable,
  { is_compressed, recipients }: { is_compressed: boolean; recipients: readonly string[] },
): Promise<{ file: StoredFile; content: Content }> {
  const draft = join(dir, `.${randomUUID()}${unfinished}`)
  const plain = hashed()
  const stored = hashed()
  try {
    const file = await open(draft, 'wx', 0o600)
    const counted = Readable.from(plain.through(source), { objectMode: false })
    const compressed = is_compressed ? compress(counted) : counted
    const encoded = recipients.length === 0 ? compressed : await encrypt(compressed, recipients)
    await pipeline(encoded, stored.through, file.createWriteStream({ flush: true }))
    const { sha256, bytes } = stored.result()
    const path = `${pathOf(sha256)}${recipients.length === 0 ? '' : '.age'}`
    await verifyFile(draft, { sha256, bytes })
    await mkdir(dirname(join(dir, path)), { recursive: true, mode: 0o700 })
    await rename(draft, join(dir, path))
    await syncFolder(dirname(join(dir, path)))
    return { file: { path, sha256, bytes }, content: plain.result() }
  } finally {
    await rm(draft, { force: true })
  }
}

function compress(source: Readable): Readable {
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: zstd_level } })
  // an error of either ends both
  pipeline(source, zstd).catch((error: unknown) => zstd.destroy(error instanceof Error ? error : undefined))
  return zstd
}

/** Opens a file for its content. */
export async function readStored(
  dir: string,
  { path }: StoredFile,
  { is_compressed = false, identities = [] }: { is_compressed?: boolean; identities?: readonly string[] },
): Promise<Readable> {
  const stored = createReadStream(join(dir, path), { highWaterMark: chunk_bytes })
  const plain = path.endsWith('.age') ? await decrypt(stored, identities) : stored
  if (!is_compressed) return plain
  const zstd = createZstdDecompress()
  pipeline(plain, zstd).catch((error: unknown) => zstd.destroy(error instanceof Error ? error : undefined))
  return zstd
}

/** Compares a file of a backup with its digest. Throws BackupRefused, with the name of the file. */
export async function verifyStored(dir: string, file: StoredFile): Promise<void> {
  const path = join(dir, file.path)
  try {
    await verifyFile(path, file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new BackupRefused(`${path} is missing. Use another backup.`, { cause: error })
    throw error
  }
}

async function verifyFile(path: string, { sha256, bytes }: Omit<StoredFile, 'path'>): Promise<void> {
  const read = hashed()
  for await (const _ of read.through(createReadStream(path, { highWaterMark: chunk_bytes })));
  const found = read.result()
  if (found.sha256 !== sha256 || found.bytes !== bytes)
    throw new BackupRefused(`${path} is damaged: its content differs from what the backup wrote. Use another backup.`)
}

function hashed() {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async *through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    result: (): Content => ({ sha256: hash.digest('hex'), bytes }),
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
