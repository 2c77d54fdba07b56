import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { problem } from '../../platform/problem.ts'
import type { Vault } from '../../platform/secrets.ts'

/**
 * Passwords are stored as Argon2id hashes (RFC 9106) of their HMAC under the pepper, so a stolen database is useless without
 * the pepper.
 */

const derive = promisify(argon2)

/**
 * OWASP's recommendation for services with many sign-ins: about 25 ms of one core. Stored with each hash, so the cost can be
 * raised later.
 */
const current = { memory_kib: 19_456, passes: 2, parallelism: 1 } as const
type Cost = { readonly [K in keyof typeof current]: number }
const salt_bytes = 16
const hash_bytes = 32

/** Each hash uses a thread and 19 MiB. The rest of the four threads stay free for files, names, and compression. */
const at_once = 2
const waiting_max = 50

export interface Passwords {
  /** The hash to store. */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the hash. Without a hash it takes as long and returns false. `outdated`: it matches, but
   * should be hashed again because the cost was raised.
   */
  verify(password: string, stored: string | null): Promise<{ matches: boolean; outdated: boolean }>
}

/** Both throw 503 when too many are queued. */
export function createPasswords(vault: Pick<Vault, 'hashSecret'>): Passwords {
  const inTurn = turns()
  // different keyboards produce composed or decomposed forms of the same characters
  const message = (password: string) => vault.hashSecret(`password:${password.normalize('NFKC')}`)
  const hashOf = (password: string, salt: Buffer, cost: Cost, bytes: number) =>
    inTurn(() => derive('argon2id', parametersOf(message(password), salt, cost, bytes)))
  const dummy = encode(randomBytes(salt_bytes), randomBytes(hash_bytes), current)
  return {
    async hash(password) {
      const salt = randomBytes(salt_bytes)
      return encode(salt, await hashOf(password, salt, current, hash_bytes), current)
    },
    async verify(password, stored) {
      const { salt, hash, cost } = decode(stored ?? dummy)
      const equal = timingSafeEqual(await hashOf(password, salt, cost, hash.length), hash)
      const matches = equal && stored !== null
      return { matches, outdated: matches && encodeCost(cost) !== encodeCost(current) }
    },
  }
}

const parametersOf = (message: Buffer, nonce: Buffer, cost: Cost, bytes: number): Argon2Parameters => ({
  message,
  nonce,
  memory: cost.memory_kib,
  passes: cost.passes,
  parallelism: cost.parallelism,
  tagLength: bytes,
})

const encodeCost = ({ memory_kib, passes, parallelism }: Cost) => `m=${memory_kib},t=${passes},p=${parallelism}`

/** PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
const encode = (salt: Buffer, hash: Buffer, cost: Cost) =>
  ['', 'argon2id', 'v=19', encodeCost(cost), salt.toString('base64url'), hash.toString('base64url')].join('$')

function decode(stored: string): { salt: Buffer; hash: Buffer; cost: Cost } {
  const [, m, t, p, salt, hash] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? []
  if (salt === undefined || hash === undefined) throw new Error('a stored password hash is damaged')
  return {
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
    cost: { memory_kib: Number(m), passes: Number(t), parallelism: Number(p) },
  }
}

/** Runs a few tasks at a time and queues the rest. */
function turns() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= waiting_max)
      throw problem('not-ready', 'Too many people are signing in. Try again in a moment.', {
        headers: { 'retry-after': '2' },
      })
    if (running >= at_once) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // the permit passes directly to the next task, so no new one can jump the queue
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
