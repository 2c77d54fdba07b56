import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { LinkButton } from '../ui/link.tsx'
import { Card, Row, Stack } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Soft } from '../ui/soft.tsx'
import { Time, phoneText } from '../ui/values.tsx'
import { filesOf } from './documents.tsx'
import css from './letter.module.css'
import type { PortOrder } from './words.ts'

type LetterText = Body<'getLoa'>['data']['attributes']

/** The letter, which can be read by everybody who sees the order; once it is signed also as the PDF that was sent. */
export function LetterCard({ order }: { order: PortOrder }) {
  const { loa, status } = order.attributes
  const files = useQuery({ ...filesOf(order.id), enabled: loa !== null })
  const pdf = files.data?.data.findLast(({ attributes }) => attributes.source === 'service')?.attributes
  return (
    <Card
      title="Letter of Agency"
      aside={
        status === 'Pending' && (
          <LinkButton to="/port-orders/new" search={{ order: order.id, step: 'letter' }}>
            Read and sign
          </LinkButton>
        )
      }
    >
      <Stack gap="narrow">
        {loa === null ? (
          <Soft as="p">Not signed yet. With it you allow us to move the numbers.</Soft>
        ) : (
          <Row>
            <span>
              Signed <Time at={loa.signed_at} />
            </span>
            {pdf?.download_url != null && (
              <a className={css.pdf} href={pdf.download_url} download={pdf.file}>
                Download the PDF
              </a>
            )}
          </Row>
        )}
        <details className={css.details}>
          <summary>Read the letter</summary>
          <Letter id={order.id} />
        </details>
      </Stack>
    </Card>
  )
}

/** The letter as it is, or as it will be signed. */
export function Letter({ id, name, title }: { id: string; name?: string; title?: string }) {
  const letter = useQuery(q('getLoa', { params: { portorder_id: id } }))
  return (
    <Loaded query={letter} skeleton={<Skeleton rows={10} />}>
      {({ data: { attributes } }) => (
        <article className={css.paper} aria-label="Letter of Agency">
          <h2>Letter of Agency</h2>
          <LetterFacts letter={attributes} />
          {attributes.loa_copy.split('\n\n').map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          {name !== undefined && (
            <p className={css.signature}>
              <span className={css.hand}>{name === '' ? ' ' : name}</span>
              <Soft>{title === '' ? 'Name and title' : title}</Soft>
            </p>
          )}
        </article>
      )}
    </Loaded>
  )
}

/** How many numbers are written out. */
const listed_max = 200

function LetterFacts({ letter }: { letter: LetterText }) {
  const { numbers, billing_name, company, street, street2, city, state, zip, country, provider } = letter
  return (
    <dl className={css.facts}>
      <dt>Account holder</dt>
      <dd>{[company, billing_name].filter((each) => each !== '').join(', ')}</dd>
      <dt>Service address</dt>
      <dd>{[street, street2, city, `${state} ${zip}`, country].filter((each) => each !== '').join(', ')}</dd>
      <dt>Present carrier</dt>
      <dd>{provider}</dd>
      <dt>Numbers</dt>
      <dd className={css.numbers}>
        {numbers
          .slice(0, listed_max)
          .map((each) => phoneText(`1${each}`))
          .join(', ')}
        {numbers.length > listed_max && ` and ${numbers.length - listed_max} more`}
      </dd>
    </dl>
  )
}
