import { Loaded } from './loaded.tsx'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Body } from '../api.ts'
import { EmptyLine, Lines, Row, Soft, Time } from '../ui/index.ts'

type Activity = Body<'listActivity'>

interface ActivityListProps {
  query: UseQueryResult<Activity>
  /** Who did it, in the reader's words. */
  by: Readonly<Record<Activity['data'][number]['attributes']['by'], string>>
  empty: string
}

/** Audit entries as sentences, newest first, in an unpadded card. */
export const ActivityList = ({ query, by, empty }: ActivityListProps) => (
  <Loaded query={query}>
    {({ data }) =>
      data.length === 0 ? (
        <EmptyLine>{empty}</EmptyLine>
      ) : (
        <Lines>
          {data.map(({ id, attributes }) => (
            <li key={id}>
              <Row apart>
                <span>{attributes.sentence}</span>
                <Soft>
                  <Time at={attributes.occurred_at} />, {by[attributes.by]}
                </Soft>
              </Row>
            </li>
          ))}
        </Lines>
      )
    }
  </Loaded>
)
