import type { ComponentProps, ReactNode } from 'react'
import { PageHead, Stack } from '../ui/index.ts'
import { ShowAsApiCall } from './api-call.tsx'

interface PageProps extends ComponentProps<typeof PageHead> {
  /** The page's operation, for *Show as API call*. */
  call?: ComponentProps<typeof ShowAsApiCall>
  children: ReactNode
}

/** A page: its head and its content. */
export const Page = ({ call, verb, children, ...head }: PageProps) => (
  <Stack>
    <PageHead
      {...head}
      verb={
        <>
          {call !== undefined && <ShowAsApiCall {...call} />}
          {verb}
        </>
      }
    />
    {children}
  </Stack>
)
