import { StartRefused } from '../start-refused.ts'
import { DependencyUnavailable } from '../unavailable.ts'

/** Errors of the S3 client, as the rest of the service knows them. */

const dependency = 'The file store'

/** The store refuses to work until an operator acts: wrong or expired credentials, no bucket. Waiting does not help. */
export class FileStoreRefused extends DependencyUnavailable {
  /** The store's error code: `ExpiredToken`. */
  readonly code: string
  constructor(cause: unknown) {
    super(dependency, { cause })
    this.name = 'FileStoreRefused'
    this.code = codeOf(cause)
  }
}

/** The error of a request that failed: FileStoreRefused, or DependencyUnavailable, after which the same request may succeed. */
export function requestError(error: unknown): DependencyUnavailable {
  if (error instanceof DependencyUnavailable) return error
  const status = statusOf(error)
  const is_refused = status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429
  return is_refused || codeOf(error) === noCredentials
    ? new FileStoreRefused(error)
    : new DependencyUnavailable(dependency, { cause: error })
}

/** Whether the store has no such object, or no such bucket: a HEAD response does not tell them apart. */
export const isMissing = (error: unknown): boolean => statusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket'

/** Whether the range begins past the end of the object. */
export const isPastEnd = (error: unknown): boolean => statusOf(error) === 416

const noCredentials = 'CredentialsProviderError'

/** What the operator must do before the service can start, by error code; the others are about credentials or permissions. */
export function startRefusal(
  { code, cause }: FileStoreRefused,
  { bucket, endpoint, region }: { bucket: string; endpoint: string | null; region: string },
): StartRefused {
  const where = endpoint ?? `AWS, region ${region}`
  const status = statusOf(cause)
  if (code === noCredentials)
    return new StartRefused(
      `There are no credentials for the bucket ${bucket} (S3_BUCKET). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role.`,
      { cause },
    )
  if (status === 404)
    return new StartRefused(
      `The bucket ${bucket} (S3_BUCKET) does not exist at ${where}. Create it, or correct S3_BUCKET, S3_ENDPOINT, and S3_REGION.`,
      { cause },
    )
  // 301 PermanentRedirect, 400 AuthorizationHeaderMalformed
  if (status === 301 || code === 'AuthorizationHeaderMalformed')
    return new StartRefused(
      `The bucket ${bucket} (S3_BUCKET) is in another region than ${region}. Correct S3_REGION.`,
      {
        cause,
      },
    )
  return new StartRefused(
    `${where} refused access to the bucket ${bucket} (S3_BUCKET): ${code}. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the machine's clock, and that the key may list the bucket and read, write, and delete its objects.`,
    { cause },
  )
}

const codeOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown error')

/** The HTTP status of the response. Undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error && '$metadata' in error)) return undefined
  const { $metadata } = error
  return typeof $metadata === 'object' &&
    $metadata !== null &&
    'httpStatusCode' in $metadata &&
    typeof $metadata.httpStatusCode === 'number'
    ? $metadata.httpStatusCode
    : undefined
}
