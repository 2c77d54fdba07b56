/** Messages between the windows of a browser, which share a session. */

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
