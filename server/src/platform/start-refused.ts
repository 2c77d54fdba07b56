/** The service cannot start for a reason that the operator can fix. The message states the reason and the remedy. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}
