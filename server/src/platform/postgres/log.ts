/** What the database floor needs of a logger; a pino logger fits. Fields carry ids and figures, never row values or passwords. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }
