import type { Role } from '@demarc/client'

/** The people of the demo cast: one for each role, and one with two accounts. The sign-in page offers them by name. */
export const people: readonly {
  email: string
  name: string
  time_zone: string
  story: string
  on: readonly { account: 'dentist' | 'reseller' | 'operator'; role: Role }[]
}[] = [
  {
    email: 'elena@harbor-dental.example',
    name: 'Elena Núñez',
    time_zone: 'America/Los_Angeles',
    story: 'Owns a dental practice, ports its numbers, and decides who else may.',
    on: [{ account: 'dentist', role: 'owner' }],
  },
  {
    email: 'mia@harbor-dental.example',
    name: 'Mia Park',
    time_zone: 'America/Los_Angeles',
    story: 'Runs the practice’s office: changes where calls go, and which address dispatchers see.',
    on: [{ account: 'dentist', role: 'manager' }],
  },
  {
    email: 'sam@harbor-dental.example',
    name: 'Sam Okafor',
    time_zone: 'America/New_York',
    story: 'Keeps the practice’s books: sees every number and every call, and changes nothing.',
    on: [{ account: 'dentist', role: 'read_only' }],
  },
  {
    email: 'ray@cascade-voice.example',
    name: 'Ray Castellano',
    time_zone: 'America/Los_Angeles',
    story: 'Owns a reseller with thousands of numbers, and pages through all of them.',
    on: [{ account: 'reseller', role: 'owner' }],
  },
  {
    email: 'jo@lindqvist-it.example',
    name: 'Jo Lindqvist',
    time_zone: 'America/Denver',
    story: 'Looks after the telephones of both customers, and changes between their accounts.',
    on: [
      { account: 'dentist', role: 'manager' },
      { account: 'reseller', role: 'manager' },
    ],
  },
  {
    email: 'kim@demarc-telephone.example',
    name: 'Kim Tran',
    time_zone: 'America/Los_Angeles',
    story: 'Works the carrier’s queue all day: rejects, confirms, and completes port orders.',
    on: [{ account: 'operator', role: 'operator' }],
  },
  {
    email: 'alex@demarc-telephone.example',
    name: 'Alex Moreau',
    time_zone: 'America/Chicago',
    story: 'Audits the carrier: sees everything of every account, and changes nothing.',
    on: [{ account: 'operator', role: 'operator_read_only' }],
  },
]
