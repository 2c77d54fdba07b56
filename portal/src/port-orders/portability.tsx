import type { Body } from '../api.ts'
import { Stack } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import { phoneText } from '../ui/values.tsx'
import css from './form.module.css'
import { numbersText } from './words.ts'

type Found = Body<'checkPortability'>['data']
type Detail = Found['details'][number]

/** How many numbers of a group are written out. */
const listed_max = 12

/** What will be ordered together and why, and which numbers cannot be ported and why not. */
export function Portability({ data: { portable, nonportable, details } }: { data: Found }) {
  const taken = new Set(portable)
  const groups = groupsOf(details.filter(({ number }) => taken.has(number)))
  return (
    <section aria-label="What can be ported" role="status">
      <Stack gap="narrow">
        {groups.length > 0 && (
          <>
            <h3>
              {numbersText(portable.length)} can be ported
              {groups.length > 1 && `, as ${groups.length} orders of one group: carriers port each kind by itself`}
            </h3>
            <ul className={css.split}>
              {groups.map(({ reason, numbers }) => (
                <li key={reason} className={css.splitOrder}>
                  <span>
                    <Status meaning="done">{numbersText(numbers.length)}</Status> {reason}
                  </span>
                  <span className={css.splitNumbers}>
                    {numbers.slice(0, listed_max).map(phoneText).join(', ')}
                    {numbers.length > listed_max && ` and ${numbers.length - listed_max} more`}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
        {nonportable.length > 0 && (
          <>
            <h3>{numbersText(nonportable.length)} cannot, and will be left out</h3>
            <ul className={css.refusedNumbers}>
              {nonportable.slice(0, refused_max).map(({ number, reason }) => (
                <li key={number}>
                  <span className={css.splitNumbers}>{phoneText(number)}</span>
                  <span>{reason}</span>
                </li>
              ))}
            </ul>
            {nonportable.length > refused_max && <Soft as="p">And {nonportable.length - refused_max} more.</Soft>}
          </>
        )}
      </Stack>
    </section>
  )
}

/** More are in the response of the API. */
const refused_max = 100

/** By what carriers port separately: kind, country, and the carrier where it is known. */
function groupsOf(details: readonly Detail[]) {
  const groups = Map.groupBy(details, reasonOf)
  return [...groups].map(([reason, list]) => ({ reason, numbers: list.map(({ number }) => number) }))
}

function reasonOf({ kind, country, carrier }: Detail): string {
  const what = kind === 'toll-free' ? 'Toll-free' : `Local, ${country === 'CA' ? 'Canada' : 'United States'}`
  return carrier === null ? `${what}.` : `${what}, held by ${carrier}.`
}
