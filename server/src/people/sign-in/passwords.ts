import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { problem } from '../../platform/problem.ts'
import { currentKey, type Vault } from '../../platform/secrets.ts'

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

/** An address as typed, and the password given with it. */
export interface Credential {
  email: string
  password: string
}

export interface Passwords {
  /** The hash to store. */
  hash(credential: Credential): Promise<string>
  /**
   * Which of these hashes the password matches; null if none. Several people may use one address, and it takes as long for
   * all of them, or none, as for one. `outdated`: it matches, but should be hashed again because the cost was raised.
   */
  verify(
    credential: Credential,
    stored: readonly (string | null)[],
  ): Promise<{ index: number; outdated: boolean } | null>
}

/** Both throw 503 when too many are queued. */
export function createPasswords(vault: Pick<Vault, 'mac' | 'keys'>): Passwords {
  const inTurn = turns()
  // different keyboards produce composed or decomposed forms of the same characters
  const message = (password: string, pepper: string) => vault.mac(`password:${password.normalize('NFKC')}`, pepper)
  const current_pepper = currentKey(vault, 'pepper')?.id ?? ''
  // The salt is the address's, so that one hash is compared with everyone who uses the address: otherwise the time of a sign-in
  // would tell how many do. Under the pepper it is as unpredictable as a random one.
  const saltOf = (email: string) => vault.mac(`password salt:${email.trim().toLowerCase()}`).subarray(0, salt_bytes)
  const hashOf = (password: string, { salt, cost, pepper }: Parameters, bytes: number) =>
    // a pepper that is gone matches nothing, after the same time
    inTurn(() => derive('argon2id', parametersOf(message(password, pepper) ?? randomBytes(32), salt, cost, bytes)))
  return {
    async hash({ email, password }) {
      const parameters = { salt: saltOf(email), cost: current, pepper: current_pepper }
      return encode(parameters, await hashOf(password, parameters, hash_bytes))
    },
    async verify({ email, password }, stored) {
      const known = stored.map((text) => (text === null ? null : decode(text)))
      const dummy = { salt: saltOf(email), hash: randomBytes(hash_bytes), cost: current, pepper: current_pepper }
      const made = new Map<string, Buffer>()
      for (const each of known.some((one) => one !== null) ? known.filter(notNull) : [dummy]) {
        const key = encodeParameters(each)
        if (!made.has(key)) made.set(key, await hashOf(password, each, each.hash.length))
      }
      const index = known.findIndex((each) => each !== null && isSame(made.get(encodeParameters(each)), each.hash))
      const matched = known[index]
      if (!matched) return null
      const outdated = encodeCost(matched.cost) !== encodeCost(current) || matched.pepper !== current_pepper
      return { index, outdated }
    },
  }
}

const notNull = <T>(value: T | null): value is T => value !== null
const isSame = (made: Buffer | undefined, hash: Buffer) =>
  made !== undefined && made.length === hash.length && timingSafeEqual(made, hash)

const parametersOf = (message: Buffer, nonce: Buffer, cost: Cost, bytes: number): Argon2Parameters => ({
  message,
  nonce,
  memory: cost.memory_kib,
  passes: cost.passes,
  parallelism: cost.parallelism,
  tagLength: bytes,
})

const encodeCost = ({ memory_kib, passes, parallelism }: Cost) => `m=${memory_kib},t=${passes},p=${parallelism}`

/** What a hash is made with besides the password. */
interface Parameters {
  salt: Buffer
  cost: Cost
  /** The id of the pepper. */
  pepper: string
}

const encodeParameters = ({ cost, pepper, salt }: Parameters) =>
  `${encodeCost(cost)},keyid=${pepper}$${salt.toString('base64url')}`

/** PHC string: `$argon2id$v=19$m=…,t=…,p=…,keyid=…$salt$hash`; `keyid` is the pepper's. */
const encode = (parameters: Parameters, hash: Buffer) =>
  ['', 'argon2id', 'v=19', encodeParameters(parameters), hash.toString('base64url')].join('$')

function decode(stored: string): Parameters & { hash: Buffer } {
  const [, m, t, p, pepper, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+),keyid=([0-9a-f]{8})\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? []
  if (pepper === undefined || salt === undefined || hash === undefined)
    throw new Error('a stored password hash is damaged')
  return {
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
    cost: { memory_kib: Number(m), passes: Number(t), parallelism: Number(p) },
    pepper,
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
