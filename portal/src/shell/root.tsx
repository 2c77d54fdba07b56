import { Outlet } from '@tanstack/react-router'
import { Toasts } from '../ui/toast.tsx'
import { SignInDialog } from '../sign-in/dialog.tsx'

/** What is around every page, also around the sign-in page. */
export function Root() {
  return (
    <>
      <Outlet />
      <SignInDialog />
      <Toasts />
    </>
  )
}
