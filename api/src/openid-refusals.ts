/**
 * Why somebody was not signed in by the identity provider, by the name that the sign-in page gets in `openid_error`: a name, not a
 * sentence, because anybody can write a link with a sentence in it.
 */
export const openIdRefusals = {
  unavailable: 'The identity provider does not respond. Try again in a moment.',
  cancelled: 'You canceled the sign-in.',
  refused: 'It refused the sign-in, or its response was not to be used. Ask those who run it.',
  expired: 'The sign-in took too long, or was begun in another browser. Begin again.',
  unverified: 'The identity provider has not verified your e-mail address. Ask those who run it.',
  unknown: 'This e-mail address has not been invited. Ask an account owner to invite you.',
} as const

/** Name of such a reason. */
export type OpenIdRefusal = keyof typeof openIdRefusals
