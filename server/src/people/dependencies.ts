import type { Passwords } from './sign-in/passwords.ts'
import type { Throttle } from './sign-in/throttle.ts'

/** What the actions of people need besides their context. */
export interface PeopleDependencies {
  config: {
    mode: 'demo' | 'production'
    /** What the operator's side is called where accounts have their names. */
    carrier_name: string
  }
  passwords: Passwords
  throttle: Throttle
}

/** The browser that a request came from. */
export interface Browser {
  remote_ip: string
  user_agent: string | null
}
