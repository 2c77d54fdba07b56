/** Windows of one browser share its session: what one of them says to the others. */

const channel_name = 'demarc-signed-in'

/** Says to all other windows that somebody has signed in. */
export function notifySignedIn(): void {
  const channel = new BroadcastChannel(channel_name)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
  channel.postMessage(null)
  channel.close()
}

/** Calls back when another window says so, and when the person comes back to this one. Returns what ends it. */
export function whenSignedInElsewhere(callback: () => void): () => void {
  const ended = new AbortController()
  const channel = new BroadcastChannel(channel_name)
  channel.addEventListener('message', callback, { signal: ended.signal })
  // the other window may have been left in the middle of the portal
  addEventListener('focus', callback, { signal: ended.signal })
  return () => {
    ended.abort()
    channel.close()
  }
}
