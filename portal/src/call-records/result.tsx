import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { RequestInput, Operations } from '@demarc/client'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button, Bytes, Card, Count, Figures, Money, Problem, Select, SkeletonLike, Stack } from '../ui/index.ts'
import css from './call-records.module.css'
import { isAboutFilters } from './filters.ts'
import { formats, type Format } from './search.ts'
import { formatLabels } from './words.ts'

type ExportBody = RequestInput<Operations['createCdrExport']>['body'] & {
  data: { attributes: { format: Format } }
}

interface ResultProps {
  estimate: UseQueryResult<Body<'estimateCdrExport'>>
  body: ExportBody
  onFormat(format: Format | undefined): void
}

const example = [
  ['Calls', '1,000'],
  ['Cost', '$10.00'],
  ['Estimated size', '100 kB'],
  ['Estimated time', '1 second'],
] as const

/** A live estimate for the current filters, and the button that exports the calls. */
export function Result({ estimate, body, onFormat }: ResultProps) {
  const create = useCreateExport()
  const disabledReason = useExportDisabledReason(estimate)
  return (
    <Card title="Calls and cost">
      <Stack gap="narrow">
        <div className={css.result}>
          {isAboutFilters(estimate.error) ? (
            // replaces the figures, so the filter being edited below does not move
            <p className={css.refused}>A filter isn’t valid. Correct the fields marked below.</p>
          ) : (
            <Loaded
              query={estimate}
              skeleton={
                <SkeletonLike>
                  <Figures figures={example} />
                </SkeletonLike>
              }
            >
              {({ data: { attributes } }) => (
                <Figures
                  busy={estimate.isFetching}
                  figures={[
                    ['Calls', <Count key="calls" of={attributes.num_calls} />],
                    ['Cost', <Money key="cost" amount={attributes.total_cost} rounded />],
                    ['Estimated size', <Bytes key="file" of={attributes.estimated_bytes} />],
                    ['Estimated time', secondsText(attributes.estimated_seconds)],
                  ]}
                />
              )}
            </Loaded>
          )}
          <div className={css.verbs}>
            <Select
              label="File format"
              options={formats.map((value) => ({ value, label: formatLabels[value] }))}
              value={body.data.attributes.format}
              onChange={(format) => onFormat(formats.find((each) => each === format && each !== 'csv'))}
            />
            <Button
              kind="primary"
              disabledReason={disabledReason}
              isPending={create.isPending}
              onPress={() => create.mutate({ body })}
            >
              Export these calls
            </Button>
          </div>
        </div>
        {create.error && <Problem refusal={refusalOf(create.error)} />}
      </Stack>
    </Card>
  )
}

/** Starts an export and opens its page, which shows the progress. */
export function useCreateExport() {
  const navigate = useNavigate()
  return useChange(
    'createCdrExport',
    ({ data: { id } }) => void navigate({ to: '/call-records/exports/$export_id', params: { export_id: id } }),
  )
}

function useExportDisabledReason({ data, error, isPlaceholderData }: ResultProps['estimate']): string | null {
  const readOnly = useReadOnlyReason()
  if (readOnly !== null) return readOnly
  if (error !== null) return 'Correct the marked filters first.'
  if (data === undefined || isPlaceholderData) return 'The calls are still being counted.'
  return data.data.attributes.num_calls === 0 ? 'No calls match these filters, so the file would be empty.' : null
}

const secondsText = (seconds: number): string =>
  seconds <= 1 ? '1 second' : seconds < 90 ? `${Math.ceil(seconds)} seconds` : `${Math.ceil(seconds / 60)} minutes`
