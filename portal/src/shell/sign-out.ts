import { request } from '../api.ts'

/** Ends the session of this window, and leaves nothing of the person in it. */
export async function signOut(): Promise<void> {
  await request('signOut')
  sessionStorage.clear()
  // a new page, so that nothing of what was read is left
  location.assign('/sign-in')
}
