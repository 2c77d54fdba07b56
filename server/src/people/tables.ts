import type { Generated } from 'kysely'
import type { Role } from '@demarc/client'

export interface PersonTable {
  id: Generated<string>
  email: string
  /** Null: no one has proved that this address is theirs. */
  email_proven_at: Date | null
  name: string
  time_zone: string | null
  password_hash: string | null
  /** Sealed. */
  totp_secret: string | null
  totp_pending: string | null
  totp_step: string | null
  created_at: Date
  last_signed_in_at: Date | null
  demo_story: string | null
}

export interface MembershipTable {
  person_id: string
  /** Null for the operator's staff. */
  account_id: string | null
  id: Generated<string>
  role: Role
  created_at: Date
}

/** How a session started. */
export type SignInMethod = 'password' | 'passkey' | 'openid' | 'invitation' | 'demo'

export interface SessionTable {
  person_id: string
  id: Generated<string>
  token_hash: Buffer
  method: SignInMethod
  remote_ip: string
  user_agent: string | null
  started_at: Generated<Date>
  last_used_at: Generated<Date>
  confirmed_at: Generated<Date>
  passkey_challenge: string | null
  challenged_at: Date | null
}

export interface KnownDeviceTable {
  person_id: string
  token_hash: Buffer
  last_used_at: Generated<Date>
}

export interface UsedPasskeyTicketTable {
  token_hash: Buffer
  used_at: Generated<Date>
}

export interface TicketTable {
  token_hash: Buffer
  person_id: string
  method: SignInMethod
  attempts: Generated<number>
  passkey_challenge: string | null
  created_at: Generated<Date>
}

export interface RecoveryCodeTable {
  person_id: string
  code_hash: Buffer
  used_at: Date | null
}

export interface PasskeyTable {
  person_id: string
  id: Generated<string>
  credential_id: string
  public_key: Buffer
  counter: string
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

export interface OpenIdIdentityTable {
  issuer: string
  subject: string
  person_id: string
  created_at: Date
}

export interface InvitationTable {
  account_id: string | null
  id: Generated<string>
  email: string
  role: Role
  token_hash: Buffer
  invited_by: string
  created_at: Date
  expires_at: Date
  ended_at: Date | null
  mail: InvitationMail
  /** Sealed; null once the message was sent. */
  mail_token: string | null
  opened_at: Date | null
}

/** How an invitation reaches its address. `none`: the inviter passes the link on. */
export type InvitationMail = 'none' | 'due' | 'sent' | 'failed'

declare module '../platform/db.ts' {
  interface Database {
    person: PersonTable
    membership: MembershipTable
    person_session: SessionTable
    known_device: KnownDeviceTable
    sign_in_ticket: TicketTable
    used_passkey_ticket: UsedPasskeyTicketTable
    recovery_code: RecoveryCodeTable
    passkey: PasskeyTable
    openid_identity: OpenIdIdentityTable
    invitation: InvitationTable
  }
}
