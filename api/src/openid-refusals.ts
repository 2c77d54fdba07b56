/**
 * Why a sign-in through the identity provider failed, by the code that the sign-in page gets in `openid_error`. It is a code, not a
 * sentence, because anyone can craft a link with any sentence.
 */
export const openIdRefusals = {
  unavailable: 'The identity provider is not responding. Try again in a moment.',
  cancelled: 'You canceled the sign-in.',
  refused: 'The identity provider rejected the sign-in or sent an invalid response. Contact its administrator.',
  expired: 'The sign-in took too long or started in another browser. Start again.',
  unverified: 'The identity provider has not verified your email address. Contact its administrator.',
  mailed: 'You were invited by email. Open the link in that message first.',
  unknown: 'This email address has not been invited. Ask an account owner to invite you.',
} as const

/** Code of a sign-in failure. */
export type OpenIdRefusal = keyof typeof openIdRefusals
