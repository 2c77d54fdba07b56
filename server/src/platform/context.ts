import type { Actor } from './actor.ts'
import type { Clock } from './clock.ts'
import type { Db, Executor, Log, Tx } from './db.ts'
import type { FileStore } from './files.ts'
import type { Links } from './links.ts'
import type { Vault } from './secrets.ts'

/** What `app.ts` and `worker.ts` hand to every feature. */
export interface Deps {
  db: Db
  clock: Clock
  files: FileStore
  links: Links
  vault: Vault
  log: Log
  /** What absolute links begin with, without a slash at the end. */
  public_url: string
  /** The service's IANA zone: what "the morning" and "a business day" mean. */
  time_zone: string
}

/** What an action works with: the parts, where it reads and writes, and who acts. */
export interface Context<E extends Executor = Executor> extends Deps {
  tx: E
  actor: Actor
}

/** A context whose writes commit together. */
export type WriteContext = Context<Tx>
