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
    load: async () => (await import('./numbers.ts')).numbers,
  },
  {
    name: 'cnam',
    summary: 'Caller-ID names',
    group: 'Account',
    load: async () => (await import('./cnam.ts')).cnam,
  },
]

export const topVerbs: readonly VerbEntry[] = [
  {
    name: 'login',
    summary: 'Keep a key for the commands that follow',
    group: 'This program',
    load: async () => (await import('./login.ts')).login,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    group: 'This program',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'whoami',
    summary: 'Show whose key is in use',
    group: 'This program',
    load: async () => (await import('./whoami.ts')).whoami,
  },
]
