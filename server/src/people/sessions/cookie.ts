import { limits, sessionCookie } from '../rules.ts'

/** The value of a cookie in a Cookie header; null if there is none. */
export function cookieIn(header: string | undefined, cookie: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === cookie && value) return value
  }
  return null
}

/** The session token in a Cookie header, or null. */
export function sessionTokenIn(header: string | undefined): string | null {
  const value = cookieIn(header, sessionCookie)
  return value !== null && /^[A-Za-z0-9]{20,64}$/.test(value) ? value : null
}

/** The Set-Cookie header that stores a session in the browser, or clears it when there is no token. */
export function sessionCookieHeader(public_url: string, token: string | null): { 'set-cookie': string } {
  const attributes = [
    `${sessionCookie}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    // Lax: a link in an e-mail keeps the session; changes additionally require the CSRF token
    'SameSite=Lax',
    `Max-Age=${token === null ? 0 : limits.session_days * 86_400}`,
    ...(public_url.startsWith('https:') ? ['Secure'] : []),
  ]
  return { 'set-cookie': attributes.join('; ') }
}
