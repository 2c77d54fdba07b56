import type { Passwords } from './sign-in/passwords.ts'
import type { Throttle } from './sign-in/throttle.ts'

/** An identity provider, by OpenID Connect. */
export interface OpenIdSettings {
  issuer: string
  client_id: string
  client_secret: string
  /** What people know it by. */
  name: string
}

/** What the actions of people need besides their context. */
export interface PeopleDependencies {
  config: {
    mode: 'demo' | 'production'
    /** What the operator's side is called where accounts have their names. */
    carrier_name: string
    openid: OpenIdSettings | null
  }
  passwords: Passwords
  throttle: Throttle
}

/** The browser that a request came from. */
export interface Browser {
  remote_ip: string
  user_agent: string | null
}
