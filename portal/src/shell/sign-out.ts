import { request } from '../api.ts'

/** Signs out and clears the person's data from this window. */
export async function signOut(): Promise<void> {
  await request('signOut')
  sessionStorage.clear()
  // a full page load clears everything in memory
  location.assign('/sign-in')
}
