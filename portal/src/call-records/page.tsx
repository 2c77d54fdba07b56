import { use } from 'react'
import { useList } from '../api.ts'
import { useNow } from '../clock.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import { TimeZone } from '../ui/index.ts'
import { Charts } from './charts.tsx'
import { ExportsCard } from './exports-card.tsx'
import { commandOf, filterParameters } from './filters.ts'
import { FiltersForm } from './filters-form.tsx'
import { NewestCalls } from './newest-calls.tsx'
import { Result } from './result.tsx'

/** Which calls were made, and what did they cost? */
export function CallRecordsPage() {
  const { search, change, paging } = usePageSearch('/call-records', 5)
  const parameters = filterParameters(search, new Date(useNow()), use(TimeZone))
  const body = {
    data: {
      type: 'cdrexport' as const,
      attributes: { format: search.file ?? 'csv', filter_parameters: parameters },
    },
  }
  const estimate = useList('estimateCdrExport', { body })
  return (
    <Page
      title="Call records"
      facts="Your calls and what they cost. The filters apply to this page and to the file you export."
      call={{ operation: 'estimateCdrExport', input: { body }, command: commandOf(parameters) }}
    >
      <Result estimate={estimate} body={body} onFormat={(file) => change({ file })} />
      <FiltersForm {...{ search, parameters }} error={estimate.error} onChange={change} />
      {estimate.error === null && (
        <>
          <Charts parameters={parameters} by={search.by ?? 'day'} onBy={(by) => change({ by })} />
          <NewestCalls parameters={parameters} />
        </>
      )}
      <ExportsCard {...paging} />
    </Page>
  )
}
