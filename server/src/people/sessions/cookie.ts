import { limits, sessionCookie } from '../rules.ts'

/** The token of the session in a Cookie header; null if there is none. */
export function sessionTokenIn(header: string | undefined): string | null {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === sessionCookie && value !== undefined && /^[A-Za-z0-9]{20,64}$/.test(value)) return value
  }
  return null
}

/** The Set-Cookie header that gives a browser a session; without a token: that takes it away. */
export function sessionCookieHeader(public_url: string, token: string | null): Record<string, string> {
  const attributes = [
    `${sessionCookie}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    // Lax: a link from a mail finds the session; what changes something needs the CSRF token besides
    'SameSite=Lax',
    `Max-Age=${token === null ? 0 : limits.session_days * 86_400}`,
    ...(public_url.startsWith('https:') ? ['Secure'] : []),
  ]
  return { 'set-cookie': attributes.join('; ') }
}
