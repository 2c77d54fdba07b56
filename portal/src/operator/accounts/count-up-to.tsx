import { Count } from '../../ui/index.ts'

/** The service stops counting here. */
const most = 100_000

/** A count; `100,000+` at the service's limit. */
export const CountUpTo = ({ of }: { of: number }) => (
  <>
    <Count of={of} />
    {of >= most && '+'}
  </>
)
