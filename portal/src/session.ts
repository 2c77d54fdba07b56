import type { Operations, people, ResponseBody } from '@demarc/client'

/** Who is signed in, as `getSession` says. */
export type Session = ResponseBody<Operations['getSession']>['data']
export type Membership = Session['memberships'][number]
export type Role = Membership['role']
export type SignInOptions = ResponseBody<Operations['getSignInOptions']>['data']
export type SignInResult = ResponseBody<Operations['signIn']>['data']
/** What is left to do after the password. */
export type Unfinished = Extract<SignInResult, { status: 'second_factor' }>
export type SecondFactor = people.SecondFactor

export const sessionKey = ['session'] as const

/** Somebody who waits for the dialog: requests that found the session expired. */
let waiting: { promise: Promise<void>; resolve(): void; reject(reason: Error): void } | null = null
const subscribers = new Set<() => void>()

/** Opens the sign-in dialog, unless it is open, and waits until the person is signed in. Throws when they leave it. */
export async function signInAgain(): Promise<void> {
  if (waiting === null) {
    waiting = Promise.withResolvers<void>()
    announce()
  }
  await waiting.promise
}

/** Whether the dialog is wanted, for useSyncExternalStore. */
export const signInWanted = {
  subscribe(onChange: () => void): () => void {
    subscribers.add(onChange)
    return () => subscribers.delete(onChange)
  },
  get: () => waiting !== null,
}

/** Lets those that wait go on, or fail when nobody signed in. */
export function endSignInAgain(signed_in: boolean): void {
  const ended = waiting
  waiting = null
  announce()
  if (signed_in) ended?.resolve()
  else ended?.reject(new Error('Nobody is signed in.'))
}

function announce(): void {
  for (const each of subscribers) each()
}
