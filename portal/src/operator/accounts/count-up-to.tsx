import { Count } from '../../ui/values.tsx'

/** The service counts so far. */
const most = 100_000

/** A count of a summary: `100,000+` where there may be more. */
export const CountUpTo = ({ of }: { of: number }) => (
  <>
    <Count of={of} />
    {of >= most && '+'}
  </>
)
