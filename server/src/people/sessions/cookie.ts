import { cookies, limits } from '../rules.ts'

/**
 * The name of a cookie. Browsers accept the prefix only over TLS, for this host alone and all its paths, so a page on a
 * neighboring host cannot set it.
 */
const nameOf = (public_url: string, cookie: string) => (isTls(public_url) ? `__Host-${cookie}` : cookie)
const isTls = (public_url: string) => public_url.startsWith('https:')

/** The value of a cookie in a Cookie header; null if there is none. */
export function cookieIn(header: string | undefined, public_url: string, cookie: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === nameOf(public_url, cookie) && value) return value
  }
  return null
}

/** A Set-Cookie header that stores a value, or clears it (null). */
export const setCookie = (public_url: string, cookie: string, value: string | null, max_age_s: number): string =>
  [
    `${nameOf(public_url, cookie)}=${value ?? ''}`,
    'Path=/',
    'HttpOnly',
    // Lax: a link in an email keeps the session; changes additionally require the CSRF token
    'SameSite=Lax',
    `Max-Age=${value === null ? 0 : max_age_s}`,
    ...(isTls(public_url) ? ['Secure'] : []),
  ].join('; ')

const tokenIn = (header: string | undefined, public_url: string, cookie: string): string | null => {
  const value = cookieIn(header, public_url, cookie)
  return value !== null && /^[A-Za-z0-9]{20,64}$/.test(value) ? value : null
}

/** The session token in a Cookie header, or null. */
export const sessionTokenIn = (header: string | undefined, public_url: string): string | null =>
  tokenIn(header, public_url, cookies.session)

/** The token of a browser that someone signed in with before, or null. */
export const deviceTokenIn = (header: string | undefined, public_url: string): string | null =>
  tokenIn(header, public_url, cookies.device)

/** Clears the session in the browser. */
export const endedSessionCookie = (public_url: string): string => setCookie(public_url, cookies.session, null, 0)

/** The Set-Cookie headers after a sign-in. */
export const signedInCookies = (
  public_url: string,
  { token, device }: { token: string; device: string },
): [string, string] => [
  setCookie(public_url, cookies.session, token, limits.session_days * 86_400),
  setCookie(public_url, cookies.device, device, limits.device_days * 86_400),
]
