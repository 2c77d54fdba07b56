import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { refusalOf, request, type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import { Card, Count, Facts, FileDrop, Link, Problem, Stack, Status, Time } from '../ui/index.ts'

type Check = Body<'getE911Validation'>['data']

/** Polling interval of the progress. */
const progress_ms = 1_000

/** Which of these addresses are valid? */
export function CheckFilePage() {
  const { id } = useSearch({ from: '/signed-in/e911/check' })
  const navigate = useNavigate()
  const send = useMutation({
    mutationFn: (file: File) =>
      request('createE911Validation', {
        body: file,
        content_type: file.name.endsWith('json') ? 'application/x-ndjson' : 'text/csv',
      }),
    onSuccess: ({ data }) => void navigate({ to: '/e911/check', search: (before) => ({ ...before, id: data.id }) }),
  })
  return (
    <Page
      before={<Link to="/e911">E911</Link>}
      title="Check a file of addresses"
      facts="Check up to 100,000 addresses. You get the file back with a result and suggested corrections for each row. Nothing is saved to the account."
      call={{ operation: 'createE911Validation', command: 'demarc e911 validate-file addresses.csv -o checked.csv' }}
    >
      <Card title="File">
        <Stack gap="narrow">
          <FileDrop
            label={send.isPending ? 'Uploading' : 'Drop a CSV or NDJSON file here'}
            hint="Required columns: street_number, street_name, city, state, country, and zip. Other columns are copied."
            accept={['.csv', '.ndjson', '.jsonl', 'text/csv']}
            onFiles={([file]) => file !== undefined && send.mutate(file)}
          />
          {send.error !== null && <Problem refusal={refusalOf(send.error)} />}
        </Stack>
      </Card>
      {id !== undefined && <Report id={id} />}
    </Page>
  )
}

function Report({ id }: { id: string }) {
  const check = useRead(
    'getE911Validation',
    { params: { validation_id: id } },
    { refetchInterval: ({ state: { data } }) => (data?.data.attributes.status === 'processing' ? progress_ms : false) },
  )
  return <Loaded query={check}>{({ data }) => <ReportCard check={data} />}</Loaded>
}

const outcomeNames: Readonly<Record<keyof Check['attributes']['verdicts'], string>> = {
  valid: 'Valid',
  correction: 'Correctable',
  not_geocodable: 'Not found',
  invalid_input: 'Invalid field',
  unavailable: 'Not checked; upload them again',
}

function ReportCard({ check: { id, attributes } }: { check: Check }) {
  const { status, failure_reason, rows, verdicts, levels, progress, download_url, expires_at, sha256 } = attributes
  const postal = levels['postal'] ?? 0
  return (
    <Card title={`Check ${id}`} aside={<CheckStatus status={status} progress={progress} />}>
      <Stack gap="narrow">
        {failure_reason !== null && <p>{failure_reason}</p>}
        <Facts
          facts={[
            ['Rows', <Count key="rows" of={rows} />],
            ...Object.entries(outcomeNames).map(
              ([verdict, name]) => [name, <Count key={verdict} of={verdicts[verdict] ?? 0} />] as const,
            ),
            postal > 0 && ['Valid, but the street was not checked', <Count key="postal" of={postal} />],
            sha256 !== null && ['SHA-256', <code key="sha256">{sha256}</code>],
          ]}
        />
        {download_url !== null && (
          <p>
            <a href={download_url}>Download results</a>
            {expires_at !== null && (
              <>
                {' '}
                until <Time at={expires_at} />
              </>
            )}
          </p>
        )}
      </Stack>
    </Card>
  )
}

function CheckStatus({ status, progress }: Pick<Check['attributes'], 'status' | 'progress'>) {
  if (status === 'completed') return <Status meaning="done">Complete</Status>
  if (status === 'failed') return <Status meaning="refused">Failed</Status>
  return <Status meaning="moving">{Math.floor(progress * 100)} % checked</Status>
}
