import type { Noun, Verb } from './verb.ts'

/** The commands with what is known without loading them: `demarc --help` loads none. */

export interface NounEntry {
  name: string
  summary: string
  group: Group
  load: () => Promise<Noun>
}

export interface VerbEntry {
  name: string
  summary: string
  group: Group
  load: () => Promise<Verb>
}

export const groups = ['Account', 'Operator', 'This program'] as const
export type Group = (typeof groups)[number]

export const nouns: readonly NounEntry[] = [
  {
    name: 'numbers',
    summary: 'Phone numbers: alias, voice routes, caller ID name, emergency address',
    group: 'Account',
    load: async () => (await import('./commands/numbers.ts')).numbers,
  },
  {
    name: 'number-order',
    summary: 'Orders of many numbers',
    group: 'Account',
    load: async () => (await import('./commands/number-order.ts')).numberOrder,
  },
  {
    name: 'number-reservation',
    summary: 'Reservations of numbers',
    group: 'Account',
    load: async () => (await import('./commands/number-reservation.ts')).numberReservation,
  },
  {
    name: 'route',
    summary: 'Voice routes: where calls to numbers go',
    group: 'Account',
    load: async () => (await import('./commands/route.ts')).route,
  },
  {
    name: 'edge-strategy',
    summary: 'Edge strategies: points of presence and their IP addresses',
    group: 'Account',
    load: async () => (await import('./commands/edge-strategy.ts')).edgeStrategy,
  },
  {
    name: 'cnam',
    summary: 'Caller ID names',
    group: 'Account',
    load: async () => (await import('./commands/cnam.ts')).cnam,
  },
  {
    name: 'e911',
    summary: 'Emergency addresses',
    group: 'Account',
    load: async () => (await import('./commands/e911.ts')).e911,
  },
  {
    name: 'e911-validation',
    summary: 'Bulk validation of emergency addresses, step by step',
    group: 'Account',
    load: async () => (await import('./commands/e911-validation.ts')).e911Validation,
  },
  {
    name: 'port',
    summary: 'Port orders: numbers ported from another carrier',
    group: 'Account',
    load: async () => (await import('./commands/port.ts')).port,
  },
  {
    name: 'portout',
    summary: 'Port-outs: numbers that move to another carrier',
    group: 'Account',
    load: async () => (await import('./commands/portout.ts')).portout,
  },
  {
    name: 'cdr',
    summary: 'Call records: exports, files, and totals',
    group: 'Account',
    load: async () => (await import('./commands/cdr.ts')).cdr,
  },
  {
    name: 'activity',
    summary: 'The account’s activity log',
    group: 'Account',
    load: async () => (await import('./commands/activity.ts')).activity,
  },
  {
    name: 'webhooks',
    summary: 'Notifications to your URLs, and their signing secret',
    group: 'Account',
    load: async () => (await import('./commands/webhooks.ts')).webhooks,
  },
  {
    name: 'location',
    summary: 'The location server for next-generation 911 (XML)',
    group: 'Account',
    load: async () => (await import('./commands/location.ts')).location,
  },
  {
    name: 'price-class',
    summary: 'Price classes of numbers, and accounts’ own prices',
    group: 'Operator',
    load: async () => (await import('./commands/price-class.ts')).priceClass,
  },
  {
    name: 'account',
    summary: 'Accounts',
    group: 'Operator',
    load: async () => (await import('./commands/account.ts')).account,
  },
  {
    name: 'key',
    summary: 'Access keys for accounts',
    group: 'Operator',
    load: async () => (await import('./commands/key.ts')).key,
  },
  {
    name: 'operator-key',
    summary: 'Operator keys',
    group: 'Operator',
    load: async () => (await import('./commands/key.ts')).operatorKey,
  },
  {
    name: 'inventory',
    summary: 'The number inventory, and what accounts may order',
    group: 'Operator',
    load: async () => (await import('./commands/inventory.ts')).inventory,
  },
  {
    name: 'e911-dataset',
    summary: 'Street data for validating emergency addresses',
    group: 'Operator',
    load: async () => (await import('./commands/e911-dataset.ts')).e911Dataset,
  },
  {
    name: 'alert',
    summary: 'Alerts about damaged or missing data',
    group: 'Operator',
    load: async () => (await import('./commands/alert.ts')).alert,
  },
  {
    name: 'retention',
    summary: 'What is deleted by age',
    group: 'Operator',
    load: async () => (await import('./commands/retention.ts')).retention,
  },
  {
    name: 'job',
    summary: 'Background jobs, including failed ones',
    group: 'Operator',
    load: async () => (await import('./commands/job.ts')).job,
  },
  {
    name: 'audit',
    summary: 'The audit log and its hash chain',
    group: 'Operator',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  {
    name: 'queue',
    summary: 'Port orders of all accounts, by next party and deadline',
    group: 'Operator',
    load: async () => (await import('./commands/queue.ts')).queue,
  },
  {
    name: 'clock',
    summary: 'The service’s clock (demo mode)',
    group: 'Operator',
    load: async () => (await import('./commands/clock.ts')).clock,
  },
  {
    name: 'health',
    summary: 'Health checks',
    group: 'This program',
    load: async () => (await import('./commands/health.ts')).health,
  },
  {
    name: 'profile',
    summary: 'Profiles: saved services and keys',
    group: 'This program',
    load: async () => (await import('./commands/profile.ts')).profile,
  },
]

export const topVerbs: readonly VerbEntry[] = [
  {
    name: 'search',
    summary: 'Search numbers, port orders, names, and addresses',
    group: 'Account',
    load: async () => (await import('./commands/search.ts')).search,
  },
  {
    name: 'dev',
    summary: 'Start a private demo service for tests and CI',
    group: 'This program',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  {
    name: 'login',
    summary: 'Save a key for later commands',
    group: 'This program',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Remove a profile’s key',
    group: 'This program',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  {
    name: 'doctor',
    summary: 'Diagnose settings, connection, key, and clock',
    group: 'This program',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'api',
    summary: 'Send any request to the API',
    group: 'This program',
    load: async () => (await import('./commands/api.ts')).api,
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    group: 'This program',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    name: 'whoami',
    summary: 'Show which key is in use',
    group: 'This program',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
]
