import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { use } from 'react'
import { qList } from '../api.ts'
import { useNow } from '../clock.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { PageHead, Stack } from '../ui/panels.tsx'
import { TimeZone } from '../ui/values.tsx'
import { Charts } from './charts.tsx'
import { ExportsCard } from './exports-card.tsx'
import { commandOf, filterParameters } from './filters.ts'
import { FiltersForm } from './filters-form.tsx'
import { NewestCalls } from './newest-calls.tsx'
import { Result } from './result.tsx'
import type { CallRecordsSearch } from './search.ts'

/** Which calls were made, and what did they cost? */
export function CallRecordsPage() {
  const search = useSearch({ from: '/signed-in/call-records' })
  const change: (next: CallRecordsSearch) => void = useChangeSearch('/call-records')
  const parameters = filterParameters(search, new Date(useNow()), use(TimeZone))
  const body = {
    data: {
      type: 'cdrexport' as const,
      attributes: { format: search.file ?? 'csv', filter_parameters: parameters },
    },
  }
  const estimate = useQuery(qList('estimateCdrExport', { body }))
  return (
    <Stack>
      <PageHead
        title="Call records"
        facts="Your calls and what they cost. The filters apply to this page and to the file you export."
        verb={
          <ShowAsApiCall operation="estimateCdrExport" input={{ body }} command={commandOf('estimate', parameters)} />
        }
      />
      <Result estimate={estimate} body={body} onFormat={(file) => change({ file })} />
      <FiltersForm {...{ search, parameters }} error={estimate.error} onChange={change} />
      {estimate.error === null && (
        <>
          <Charts parameters={parameters} by={search.by ?? 'day'} onBy={(by) => change({ by })} />
          <NewestCalls parameters={parameters} />
        </>
      )}
      <ExportsCard offset={search.offset} onOffset={(offset) => change({ offset })} />
    </Stack>
  )
}
