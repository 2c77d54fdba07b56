import { countText } from '@demarc/client/rules'
import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Body, useRead } from '../api.ts'
import { Page } from '../shell/page.tsx'
import { SkeletonLike, Tabs } from '../ui/index.ts'
import { Deliveries } from './deliveries.tsx'
import { Jobs } from './jobs.tsx'
import { jobsTabs } from '../operator/search.ts'
import { lateText } from './columns.tsx'
import { failingText } from './words.ts'

/** These figures change within seconds. */
const refresh_ms = 10_000

/** Are jobs and deliveries running? */
export function JobsPage() {
  const { view = 'jobs' } = useSearch({ from: '/signed-in/operator/jobs' })
  const navigate = useNavigate()
  const kinds = useRead('listJobKinds', {}, { refetchInterval: refresh_ms })
  const failing = useRead('listFailingReceivers', {}, { refetchInterval: refresh_ms })
  return (
    <Page
      title="Jobs and deliveries"
      facts={factsOf(kinds, failing)}
      call={
        view === 'jobs'
          ? { operation: 'listJobKinds', command: 'demarc job kinds' }
          : { operation: 'listFailingReceivers', command: 'demarc webhooks failing' }
      }
    >
      <Tabs
        label="Jobs and deliveries"
        selected={view}
        onSelect={(next) =>
          void navigate({
            to: '/operator/jobs',
            search: { view: jobsTabs.find((each) => each === next) },
            replace: true,
          })
        }
        tabs={[
          { id: 'jobs', title: 'Jobs', content: <Jobs kinds={kinds} /> },
          { id: 'deliveries', title: 'Deliveries', content: <Deliveries failing={failing} /> },
        ]}
      />
    </Page>
  )
}

/** One-line summary. */
function factsOf(
  kinds: UseQueryResult<Body<'listJobKinds'>>,
  failing: UseQueryResult<Body<'listFailingReceivers'>>,
): ReactNode {
  if (kinds.data === undefined || failing.data === undefined)
    return <SkeletonLike>All due jobs have run. No jobs failed permanently. No endpoints are failing.</SkeletonLike>
  const all = kinds.data.data.map(({ attributes }) => attributes)
  const dead = all.reduce((sum, each) => sum + each.dead, 0)
  const late = lateText(Math.max(0, ...all.map(({ late_s }) => late_s)))
  return [
    late === null ? 'All due jobs have run.' : `Due jobs have waited for ${late}. Check that a worker is running.`,
    `${dead === 0 ? 'No jobs' : countText(dead, 'job')} failed permanently.`,
    `${failingText(failing.data.data.length)}.`,
  ].join(' ')
}
