import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { signInWanted } from '../session.ts'
import { Toasts } from '../ui/toast.tsx'
import { loadSignInDialog } from './when-used.ts'

const SignInDialog = lazy(async () => ({ default: (await loadSignInDialog()).SignInDialog }))

/** What is around every page, also around the sign-in page. */
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
