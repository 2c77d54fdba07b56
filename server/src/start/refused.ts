/** The service cannot start, and the person who starts it can mend that: the message says what is wrong and what to do. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

/** What an operating system's or driver's code means to somebody who starts a service; undefined for those it does not explain. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // several addresses were tried: the first tells as much as all
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : undefined
}
