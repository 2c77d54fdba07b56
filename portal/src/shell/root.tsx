import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { signInWanted } from '../session.ts'
import { Toasts } from '../ui/index.ts'
import { loadSignInDialog } from './when-used.ts'

const SignInDialog = lazy(async () => ({ default: (await loadSignInDialog()).SignInDialog }))

/** The frame of every page, including sign-in. */
export function Root() {
  const isExpired = useSyncExternalStore(signInWanted.subscribe, signInWanted.get)
  return (
    <>
      <Outlet />
      <Suspense>{isExpired && <SignInDialog />}</Suspense>
      <Toasts />
    </>
  )
}
