import type pg from 'pg'

/** Settings of a database session, which the role must have if a pooler keeps connections from setting them. */

/** Limits of every session, milliseconds, by the name of PostgreSQL's setting. */
export const sessionLimits = {
  statement_timeout: 15_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 30_000,
} as const

interface Rule {
  setting: string
  /** For ALTER ROLE. */
  value: string
  isRight: (setting: string) => boolean
  /** Data would be stored or read wrong. */
  unsafe: boolean
}

const rules: readonly Rule[] = [
  { setting: 'TimeZone', value: "'UTC'", isRight: (v) => /^(Etc\/)?UTC$/i.test(v), unsafe: true },
  { setting: 'DateStyle', value: "'ISO'", isRight: (v) => v.startsWith('ISO'), unsafe: true },
  { setting: 'standard_conforming_strings', value: 'on', isRight: (v) => v === 'on', unsafe: true },
  {
    setting: 'default_transaction_isolation',
    value: "'read committed'",
    isRight: (v) => v === 'read committed',
    unsafe: true,
  },
  ...Object.entries(sessionLimits).map(([setting, limit_ms]) => ({
    setting,
    value: `'${limit_ms / 1000}s'`,
    isRight: (v: string) => Number(v) === limit_ms,
    unsafe: false,
  })),
]

export interface SessionProblems {
  /** The server is a standby, or was made read-only. */
  read_only: boolean
  /** Statements that fix the settings with which data would be stored or read wrong. */
  unsafe: readonly string[]
  /** Statements that fix the limits. */
  limits: readonly string[]
}

const read_only = 'transaction_read_only'

/** Compares the settings of a session with the ones that Demarc needs. `CURRENT_USER` avoids naming the role in logs. */
export async function sessionProblems(
  read: (text: string, values: readonly string[][]) => Promise<{ name: string; setting: string }[]>,
): Promise<SessionProblems> {
  const rows = await read('select name, setting from pg_settings where name = any($1)', [
    [read_only, ...rules.map(({ setting }) => setting)],
  ])
  const actual = new Map(rows.map(({ name, setting }) => [name, setting]))
  const wrong = rules.filter(({ setting, isRight }) => !isRight(actual.get(setting) ?? ''))
  const statements = (unsafe: boolean) =>
    wrong
      .filter((rule) => rule.unsafe === unsafe)
      .map(({ setting, value }) => `ALTER ROLE CURRENT_USER SET ${setting} = ${value}`)
  return { read_only: actual.get(read_only) === 'on', unsafe: statements(true), limits: statements(false) }
}

/** How often to look whether connections share sessions. A quiet pooler shows it at once, a busy one sooner or later. */
const ROUNDS = 5

/** Whether two open connections use the same sessions of the server, as behind a pooler in transaction mode. */
export async function sharesSessions(one: pg.ClientBase, other: pg.ClientBase): Promise<boolean> {
  const used = new Map<number, pg.ClientBase>()
  const sessions = new Map<pg.ClientBase, number>()
  for (let round = 0; round < ROUNDS; round++) {
    // a pooler that takes turns gives each connection its own session unless their order changes
    for (const client of round % 2 === 0 ? [one, other] : [other, one]) {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      const pid = rows[0]?.pid ?? 0
      if ((used.get(pid) ?? client) !== client || (sessions.get(client) ?? pid) !== pid) return true
      used.set(pid, client)
      sessions.set(client, pid)
    }
  }
  return false
}

/**
 * Whether prepared statements work on connections that may share sessions: a pooler that does not know them lets two connections
 * prepare one name in the same session (42P05), or executes it in another session (26000). `name` must be new.
 */
export async function preparesStatements(one: pg.ClientBase, other: pg.ClientBase, name: string): Promise<boolean> {
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const client of [one, other]) await client.query({ name, text: 'select $1::int as value', values: [round] })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === '42P05' || error.code === '26000')) return false
    throw error
  }
}
