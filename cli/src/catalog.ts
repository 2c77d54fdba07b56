import type { Noun, Verb } from './verb.ts'

/** The commands, by what can be said of each without loading it: `demarc --help` loads none of them. */

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
    summary: 'Phone numbers: alias, voice routes, caller-ID name, emergency address',
    group: 'Account',
    load: async () => (await import('./commands/numbers.ts')).numbers,
  },
  {
    name: 'route',
    summary: 'Voice routes: where calls to numbers go',
    group: 'Account',
    load: async () => (await import('./commands/route.ts')).route,
  },
  {
    name: 'edge-strategy',
    summary: 'Edge strategies: the places that calls come from, and their addresses',
    group: 'Account',
    load: async () => (await import('./commands/edge-strategy.ts')).edgeStrategy,
  },
  {
    name: 'cnam',
    summary: 'Caller-ID names',
    group: 'Account',
    load: async () => (await import('./commands/cnam.ts')).cnam,
  },
  {
    name: 'e911',
    summary: 'Emergency addresses: where help is sent',
    group: 'Account',
    load: async () => (await import('./commands/e911.ts')).e911,
  },
  {
    name: 'e911-validation',
    summary: 'Many addresses checked at once, step by step',
    group: 'Account',
    load: async () => (await import('./commands/e911-validation.ts')).e911Validation,
  },
  {
    name: 'port',
    summary: 'Port orders: numbers that come from another carrier',
    group: 'Account',
    load: async () => (await import('./commands/port.ts')).port,
  },
  {
    name: 'cdr',
    summary: 'Call records: exports, their files and totals',
    group: 'Account',
    load: async () => (await import('./commands/cdr.ts')).cdr,
  },
  {
    name: 'activity',
    summary: 'What has happened on the account',
    group: 'Account',
    load: async () => (await import('./commands/activity.ts')).activity,
  },
  {
    name: 'webhooks',
    summary: 'Notifications to your URLs, and the secret that signs them',
    group: 'Account',
    load: async () => (await import('./commands/webhooks.ts')).webhooks,
  },
  {
    name: 'location',
    summary: 'The location server of next-generation 911, in XML',
    group: 'Account',
    load: async () => (await import('./commands/location.ts')).location,
  },
  {
    name: 'account',
    summary: 'Accounts',
    group: 'Operator',
    load: async () => (await import('./commands/account.ts')).account,
  },
  {
    name: 'key',
    summary: 'Access keys of accounts',
    group: 'Operator',
    load: async () => (await import('./commands/key.ts')).key,
  },
  {
    name: 'operator-key',
    summary: 'The operator’s own keys',
    group: 'Operator',
    load: async () => (await import('./commands/key.ts')).operatorKey,
  },
  {
    name: 'e911-dataset',
    summary: 'Street data that emergency addresses are checked against',
    group: 'Operator',
    load: async () => (await import('./commands/e911-dataset.ts')).e911Dataset,
  },
  {
    name: 'job',
    summary: 'Jobs: the work in the background, and what was given up',
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
    summary: 'Port orders of all accounts, by who acts next and until when',
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
    summary: 'Whether the service is up',
    group: 'This program',
    load: async () => (await import('./commands/health.ts')).health,
  },
  {
    name: 'profile',
    summary: 'Profiles: a service and a key for it',
    group: 'This program',
    load: async () => (await import('./commands/profile.ts')).profile,
  },
]

export const topVerbs: readonly VerbEntry[] = [
  {
    name: 'search',
    summary: 'Search numbers, port orders, names and addresses',
    group: 'Account',
    load: async () => (await import('./commands/search.ts')).search,
  },
  {
    name: 'dev',
    summary: 'Start a demo service of your own, for tests and CI',
    group: 'This program',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  {
    name: 'login',
    summary: 'Keep a key for the commands that follow',
    group: 'This program',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Remove the key of a profile',
    group: 'This program',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  {
    name: 'doctor',
    summary: 'Check settings, the way to the service, the key and the clock',
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
    summary: 'Print the completion script of a shell',
    group: 'This program',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    name: 'whoami',
    summary: 'Show whose key is in use',
    group: 'This program',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
]
