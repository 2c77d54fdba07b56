import type { Actor } from './actor.ts'
import type { Clock } from './clock.ts'
import type { Db, Executor, Log, Tx } from './db.ts'
import type { FileStore } from './files/index.ts'
import type { Links } from './links.ts'
import type { Vault } from './secrets.ts'

/** What `app.ts` and `worker.ts` pass to every feature. */
export interface Deps {
  db: Db
  clock: Clock
  files: FileStore
  links: Links
  vault: Vault
  log: Log
  /** Base of absolute links, without a trailing slash. */
  public_url: string
  /** The service's IANA time zone, which defines "the morning" and business days. */
  time_zone: string
}

/** What an action works with: the dependencies, the database or transaction, and the actor. */
export interface Context<E extends Executor = Executor> extends Deps {
  tx: E
  actor: Actor
}

/** A context whose writes commit together. */
export type WriteContext = Context<Tx>
