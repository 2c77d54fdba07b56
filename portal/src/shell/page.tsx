import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { Button, PageHead, PrimaryLink, Stack } from '../ui/index.ts'
import { ShowAsApiCall } from './api-call.tsx'
import { DialogHost } from './change-buttons.tsx'

interface PageProps extends ComponentProps<typeof PageHead> {
  /** The page's operation, for *Show as API call*. */
  call?: ComponentProps<typeof ShowAsApiCall>
  children: ReactNode
}

/** A page: its head, its content, and the dialog that is open. */
export const Page = ({ call, verb, children, ...head }: PageProps) => (
  <DialogHost>
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
  </DialogHost>
)

/** A link that starts a change; with read-only access, a disabled button with the reason. */
export function IfAllowed({ children }: { children: ReactElement<{ children?: ReactNode }> }) {
  const disabledReason = useReadOnlyReason()
  return disabledReason === null ? children : <Button disabledReason={disabledReason}>{children.props.children}</Button>
}

/** The link to a new port order. */
export const PortNumbers = () => (
  <IfAllowed>
    <PrimaryLink to="/port-orders/new">Port numbers</PrimaryLink>
  </IfAllowed>
)

/** The link to the numbers for sale. */
export const GetNumbers = () => (
  <IfAllowed>
    <PrimaryLink to="/numbers/get">Get numbers</PrimaryLink>
  </IfAllowed>
)
