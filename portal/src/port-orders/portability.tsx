import type { Body } from '../api.ts'
import { Soft, Stack, Status } from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'
import css from './form.module.css'
import { numbersText } from './words.ts'

type Found = Body<'checkPortability'>['data']
type Detail = Found['details'][number]

/** Numbers listed per group. */
const listed_max = 12

/** How the numbers will be grouped into orders, and which can't be ported. */
export function Portability({ data: { portable, nonportable, details } }: { data: Found }) {
  const taken = new Set(portable)
  const groups = groupsOf(details.filter(({ number }) => taken.has(number)))
  return (
    <section aria-label="Portability" role="status">
      <Stack gap="narrow">
        {groups.length > 0 && (
          <>
            <h3>
              {numbersText(portable.length)} can be ported
              {groups.length > 1 &&
                `, as a group of ${groups.length} orders because carriers port each type separately`}
            </h3>
            <Stack as="ul" gap="narrow">
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
            </Stack>
          </>
        )}
        {nonportable.length > 0 && (
          <>
            <h3>{numbersText(nonportable.length)} can’t be ported and will be left out</h3>
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

/** Refusals shown; the API's response has all. */
const refused_max = 100

/** The properties carriers split orders by: number type, country, and current carrier if known. */
function groupsOf(details: readonly Detail[]) {
  const groups = Map.groupBy(details, reasonOf)
  return [...groups].map(([reason, list]) => ({ reason, numbers: list.map(({ number }) => number) }))
}

function reasonOf({ kind, country, carrier }: Detail): string {
  const what = kind === 'toll-free' ? 'Toll-free' : `Local, ${country === 'CA' ? 'Canada' : 'United States'}`
  return carrier === null ? `${what}.` : `${what}, held by ${carrier}.`
}
