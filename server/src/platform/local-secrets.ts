import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { minMaterialBytes, sealKeyId, type SealKey } from './secrets.ts'
import { StartRefused } from './start-refused.ts'

export interface LocalSecrets {
  pepper: string
  seal_keys: SealKey[]
}

const local_secrets_shape = z.strictObject({
  pepper: z.string().min(minMaterialBytes),
  seal_keys: z.array(z.strictObject({ id: z.string().regex(sealKeyId), key: z.string().min(minMaterialBytes) })).min(1),
})

/**
 * Reads a demo installation's `secrets.json` (0600), or creates it. Processes that start together get the same secrets: the
 * file is created atomically, once. Throws if it exists with other content.
 */
export async function loadOrCreateLocalSecrets(folder: string): Promise<LocalSecrets> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'secrets.json')
  return (await readLocalSecrets(path)) ?? (await createLocalSecrets(folder, path))
}

async function readLocalSecrets(path: string): Promise<LocalSecrets | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
  const parsed = local_secrets_shape.safeParse(parseJson(text))
  if (!parsed.success) {
    // The content is not quoted: it is secret even when it is broken.
    throw new StartRefused(
      `${path} is damaged. Restore it from a backup, or delete the whole data folder to start again.`,
    )
  }
  await chmod(path, 0o600)
  return parsed.data
}

async function createLocalSecrets(folder: string, path: string): Promise<LocalSecrets> {
  const secrets: LocalSecrets = {
    pepper: randomBytes(32).toString('base64url'),
    seal_keys: [{ id: 'local1', key: randomBytes(32).toString('base64url') }],
  }
  const draft = join(folder, `secrets.json.${randomBytes(8).toString('hex')}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    // A hard link fails when the name is taken, where a rename would silently replace what another process just made.
    await link(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  const winner = await readLocalSecrets(path)
  if (winner === null) throw new Error(`${path} disappeared while it was being made.`)
  return winner
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
