import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'
import { BackupRefused } from './refused.ts'

/** The age format (https://age-encryption.org/v1), in streams. */

/** Encrypts for all recipients. */
export async function encrypt(source: Readable, recipients: readonly string[]): Promise<Readable> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return fromWeb(await encrypter.encrypt(toWeb(source)))
}

/** Throws BackupRefused if none of the identities can decrypt it. */
export async function decrypt(source: Readable, identities: readonly string[]): Promise<Readable> {
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  try {
    return fromWeb(await decrypter.decrypt(toWeb(source)))
  } catch (error) {
    source.destroy()
    throw new BackupRefused('The backup cannot be decrypted with this identity.', { cause: error })
  }
}

/** Throws BackupRefused unless it is a public key of age. */
export function checkRecipient(recipient: string): void {
  try {
    new Encrypter().addRecipient(recipient)
  } catch (error) {
    throw new BackupRefused(`${recipient} is not a recipient of age. It begins with age1; age-keygen prints it.`, {
      cause: error,
    })
  }
}

/** The secret keys in a file as age-keygen writes it. Throws BackupRefused if it has none. */
export async function readIdentities(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim())
  const identities = lines.filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0) throw new BackupRefused(`${path} has no line that begins with AGE-SECRET-KEY-.`)
  return identities
}

/** Pulls one chunk of the source at a time. */
function toWeb(source: Readable): globalThis.ReadableStream<Uint8Array> {
  const chunks = source.iterator() as AsyncIterator<Uint8Array>
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void source.destroy(),
    },
    { highWaterMark: 0 },
  )
}

const fromWeb = (stream: globalThis.ReadableStream<Uint8Array>): Readable =>
  Readable.fromWeb(stream, { objectMode: false })
