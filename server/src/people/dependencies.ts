import type { Passwords } from './sign-in/passwords.ts'
import type { Throttle } from './sign-in/throttle.ts'

/** An OpenID Connect identity provider. */
export interface OpenIdSettings {
  issuer: string
  client_id: string
  client_secret: string
  /** The name shown to people. */
  name: string
}

/** What the actions of people need besides their context. */
export interface PeopleDependencies {
  config: {
    mode: 'demo' | 'production'
    /** The operator's name, shown where accounts show theirs. */
    carrier_name: string
    openid: OpenIdSettings | null
    /** Null: no mail is sent, and inviters pass links on. */
    mail: object | null
    /** Domains of the operator's own addresses. */
    operator_domains: readonly string[]
  }
  passwords: Passwords
  throttle: Throttle
}

/** The browser that a request came from. */
export interface Browser {
  remote_ip: string
  user_agent: string | null
  /** The token of a browser that someone signed in with before. */
  device: string | null
}
