import type { Operations, people, ResponseBody } from '@demarc/client'

/** The session, as returned by `getSession` to someone who is signed in. */
export type Session = NonNullable<ResponseBody<Operations['getSession']>['data']>
export type Membership = Session['memberships'][number]
export type SignInOptions = ResponseBody<Operations['getSignInOptions']>['data']
export type SignInResult = ResponseBody<Operations['signIn']>['data']
/** The step after the password. */
export type Unfinished = Extract<SignInResult, { status: 'second_factor' }>
export type SecondFactor = people.SecondFactor

export const sessionKey = ['session'] as const

/** Requests that wait for the sign-in dialog because the session expired. */
let waiting: { promise: Promise<void>; resolve(): void; reject(reason: Error): void } | null = null
const subscribers = new Set<() => void>()

/** Opens the sign-in dialog if it is closed and waits for the sign-in. Throws if the person dismisses it. */
export async function signInAgain(): Promise<void> {
  if (waiting === null) {
    waiting = Promise.withResolvers<void>()
    announce()
  }
  await waiting.promise
}

/** Whether the dialog should be open, for useSyncExternalStore. */
export const signInWanted = {
  subscribe(onChange: () => void): () => void {
    subscribers.add(onChange)
    return () => subscribers.delete(onChange)
  },
  get: () => waiting !== null,
}

/** Resumes the waiting requests, or fails them if no one signed in. */
export function endSignInAgain(signed_in: boolean): void {
  const ended = waiting
  waiting = null
  announce()
  if (signed_in) ended?.resolve()
  else ended?.reject(new Error('No one is signed in.'))
}

function announce(): void {
  for (const each of subscribers) each()
}

/** The channel between the windows of a browser, which share a session. */
const channel_name = 'demarc-signed-in'

/** Tells all other windows about a sign-in. */
export function notifySignedIn(): void {
  const channel = new BroadcastChannel(channel_name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
  channel.postMessage(null)
  channel.close()
}

/** Calls back after a sign-in in another window and when the person returns to this one. Returns the unsubscribe function. */
export function whenSignedInElsewhere(callback: () => void): () => void {
  const ended = new AbortController()
  const channel = new BroadcastChannel(channel_name)
  channel.addEventListener('message', callback, { signal: ended.signal })
  // the other window may have been left before the final page
  addEventListener('focus', callback, { signal: ended.signal })
  return () => {
    ended.abort()
    channel.close()
  }
}
