import { useQuery } from '@tanstack/react-query'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Time } from '../ui/values.tsx'
import { useNamesById, type Related } from './related.ts'
import css from './number.module.css'

const by = { account: 'your people', operator: 'the operator', system: 'the service' } as const

/** What has happened to a number, the newest first. */
export function History({ value }: { value: string }) {
  const activity = useQuery(q('listActivity', { query: { number: value, limit: 20 } }))
  const names = useNamesById(idsIn((activity.data?.data ?? []).map(({ attributes: { sentence } }) => sentence)))
  return (
    <Card title="History" flush>
      <Loaded query={activity}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={css.pad}>Nothing has happened to it since it came to this account.</p>
          ) : (
            <ol className={css.history}>
              {data.map(({ id, attributes }) => (
                <li key={id}>
                  <span>{named(attributes.sentence, names)}</span>
                  <Soft>
                    <Time at={attributes.occurred_at} />, {by[attributes.by]}
                  </Soft>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  )
}

/** What a sentence of the service refers to by its id. */
const references = /(caller-ID name|emergency address|(?:primary|failover) route) was set to (\d+)/g

const kinds: Readonly<Record<string, keyof Related>> = { 'caller-ID name': 'cnams', 'emergency address': 'e911s' }
const kindOf = (term: string): keyof Related => kinds[term] ?? 'routes'

function idsIn(sentences: readonly string[]) {
  const found = sentences.flatMap((sentence) =>
    [...sentence.matchAll(references)].map(([, term = '', id = '0']) => ({ kind: kindOf(term), id })),
  )
  // 0 is the default route, which is no record
  const of = (kind: keyof Related) => [
    ...new Set(found.filter((each) => each.kind === kind && each.id !== '0').map(({ id }) => id)),
  ]
  return { route_ids: of('routes'), cnam_ids: of('cnams'), e911_ids: of('e911s') }
}

/** The sentence with the names of what it refers to; an id stays where its record is gone. */
const named = (sentence: string, names: Related): string =>
  sentence.replace(references, (whole, term: string, id: string) => {
    const name = names[kindOf(term)].get(Number(id)) ?? (id === '0' ? 'the default' : null)
    return name === null ? whole : `${term} was set to ${name}`
  })
