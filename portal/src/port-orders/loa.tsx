import { useQuery } from '@tanstack/react-query'
import { type Body, useRead } from '../api.ts'
import { IfAllowed } from '../shell/page.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Card, LinkButton, Row, Skeleton, Soft, Stack, Time } from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'
import { filesOf } from './documents.tsx'
import css from './loa.module.css'
import { numbersText, type PortOrder } from './words.ts'

type LoaText = Body<'getLoa'>['data']['attributes']

/** The LOA's text and, once signed, the PDF that was sent. */
export function LoaCard({ order }: { order: PortOrder }) {
  const { loa, status } = order.attributes
  const files = useQuery({ ...filesOf(order.id), enabled: loa !== null })
  const pdf = files.data?.data.findLast(({ attributes }) => attributes.source === 'service')?.attributes
  return (
    <Card
      title="Letter of Agency"
      aside={
        status === 'Pending' && (
          <IfAllowed>
            <LinkButton to="/port-orders/new" search={{ order: order.id, step: 'loa' }}>
              Read and sign
            </LinkButton>
          </IfAllowed>
        )
      }
    >
      <Stack gap="narrow">
        {loa === null ? (
          <Soft as="p">Not signed yet. By signing, you authorize us to port these numbers.</Soft>
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
          <summary>Read the LOA</summary>
          <Loa id={order.id} />
        </details>
      </Stack>
    </Card>
  )
}

/** The LOA as signed, or as it will be signed. */
export function Loa({ id, name, title }: { id: string; name?: string; title?: string }) {
  const loa = useRead('getLoa', { params: { portorder_id: id } })
  return (
    <Loaded query={loa} skeleton={<Skeleton rows={10} />}>
      {({ data: { attributes } }) => (
        <article className={css.paper} aria-label="Letter of Agency">
          <h2>Letter of Agency</h2>
          <LoaFacts loa={attributes} />
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

/** Numbers listed on the page; the PDF has all. */
const listed_max = 1_000

function LoaFacts({ loa }: { loa: LoaText }) {
  const { numbers, billing_name, company, street, street2, city, state, zip, country, provider } = loa
  return (
    <dl className={css.facts}>
      <dt>Account holder</dt>
      <dd>{[company, billing_name].filter((each) => each !== '').join(', ')}</dd>
      <dt>Service address</dt>
      <dd>{[street, street2, city, `${state} ${zip}`, country].filter((each) => each !== '').join(', ')}</dd>
      <dt>Current carrier</dt>
      <dd>{provider}</dd>
      <dt>Numbers</dt>
      <dd>
        {/* the text is also reachable by keyboard, because it scrolls */}
        <ul className={css.numbers} tabIndex={0} aria-label={numbersText(numbers.length)}>
          {numbers.slice(0, listed_max).map((each) => (
            <li key={each}>{phoneText(`1${each}`)}</li>
          ))}
          {numbers.length > listed_max && (
            <li>and {(numbers.length - listed_max).toLocaleString('en-US')} more, listed in the PDF</li>
          )}
        </ul>
      </dd>
    </dl>
  )
}
