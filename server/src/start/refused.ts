/** The service cannot start for a reason that the person who starts it can correct: the message has the reason and the remedy. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

/** The error code of the operating system or driver; undefined for errors without one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // several addresses were tried: the first error is representative
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : undefined
}
