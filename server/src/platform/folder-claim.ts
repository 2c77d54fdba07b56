import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { draftName, isAbandoned, isOfThisSystem } from './files/drafts.ts'
import type { Log } from './postgres/log.ts'
import { unlessGone } from './processes.ts'
import { StartRefused } from './start-refused.ts'

/**
 * Keeps the embedded engines of two containers or machines from running on one data folder. Each process that may start an
 * engine has a file in the folder `claims`, named like a draft, and renews its modification time. Processes in one container
 * share the engines, as they see each other.
 */

const HEARTBEAT_MS = 1_000
/** A claim of another container that is not renewed for this long belongs to one that was killed. */
export const STALE_MS = 15_000
const POLL_MS = 100

interface Options {
  log: Log
  /** Called when another container took the folder over, because this one did not run for STALE_MS. */
  onLost: () => void
  stale_ms?: number
  /** Of this process's claim. */
  name?: string
  isOwn?: (name: string) => boolean
}

/** Claims the folder, and returns what releases it. Waits for a container that may have been killed. Throws StartRefused while another one runs. */
export async function claimFolder(data_dir: string, options: Options): Promise<() => void> {
  const { name = draftName(), isOwn = isOfThisSystem } = options
  const folder = path.join(data_dir, 'claims')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, name)
  const write = (state: 'starting' | 'running') => writeFileSync(file, `${state} ${os.hostname()}\n`, { mode: 0o600 })
  write('starting')
  const foreign = () => (unlessGone(() => readdirSync(folder)) ?? []).filter((each) => !isOwn(each))
  const renewing = setInterval(() => {
    if (renew(file, options.log) || foreign().length === 0) return
    clearInterval(renewing)
    options.onLost()
  }, HEARTBEAT_MS).unref()
  const release = () => {
    clearInterval(renewing)
    rmSync(file, { force: true })
  }
  try {
    for (const each of readdirSync(folder)) if (isAbandoned(each)) rmSync(path.join(folder, each), { force: true })
    await untilSole(folder, name, foreign, options)
    write('running')
  } catch (error) {
    release()
    throw error
  }
  return release
}

/** Resolves when no other container has a claim. */
async function untilSole(folder: string, own: string, foreign: () => string[], { log, stale_ms = STALE_MS }: Options) {
  const seen = new Map<string, { stamp: number; at: number }>()
  for (let names = foreign(); names.length > 0; names = foreign()) {
    for (const name of names) {
      const file = path.join(folder, name)
      const stamp = stampOf(file)
      const before = seen.get(name)
      if (stamp === undefined) continue
      if (before === undefined) {
        seen.set(name, { stamp, at: performance.now() })
        log.warn(
          { folder, claim: readOf(file), limit_ms: stale_ms },
          'waiting for a container that may have been killed',
        )
      } else if (stamp === before.stamp) {
        if (performance.now() - before.at > stale_ms) rmSync(file, { force: true })
      } else {
        const [state, host] = readOf(file).split(' ')
        // of two that start, the one whose name comes first continues
        if (state === 'running' || name < own)
          throw new StartRefused(
            `Another container or machine (${host}) runs the embedded database in ${path.dirname(folder)}. Stop it first, or run this command in it.`,
          )
        seen.set(name, { stamp, at: performance.now() })
      }
    }
    await sleep(POLL_MS)
  }
}

/** False if the claim is gone. */
function renew(file: string, log: Log): boolean {
  try {
    return unlessGone(() => (utimesSync(file, new Date(), new Date()), true)) ?? false
  } catch (error) {
    // the engines write to the same disk, and fail if it is broken
    log.error({ err: error }, 'could not renew the claim of the data folder')
    return true
  }
}

const stampOf = (file: string): number | undefined => unlessGone(() => statSync(file).mtimeMs)
const readOf = (file: string): string => unlessGone(() => readFileSync(file, 'utf8').trim()) ?? ''
