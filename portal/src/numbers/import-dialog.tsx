import { countText } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FileDrop, Problem, Stack, Status } from '../ui/index.ts'
import { ChangeFlow } from './change-flow.tsx'
import { loadCatalog } from './names.ts'
import { readTable } from './table-file.ts'

/** Applies the rows of a CSV to the numbers they name. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState<string | null>(null)
  const read = useMutation({
    mutationFn: async (file: File) => await readTable(await file.text(), await loadCatalog()),
    onMutate: (file) => setName(file.name),
  })
  const rows = (read.data?.changes.length ?? 0) + (read.data?.refused.length ?? 0)
  return (
    <ChangeFlow
      title="Import a CSV"
      changes={read.data?.changes ?? []}
      lines={read.data?.lines}
      refused={read.data?.refused ?? []}
      disabledReason={read.data === undefined ? 'Choose a file.' : null}
      onClose={onClose}
    >
      <Stack>
        <p>
          The first line must name the columns: <code>number</code>, and any of <code>alias</code>, <code>route</code>,{' '}
          <code>failover</code>, <code>cnam</code>, and <code>e911</code>, given as names or ids. An empty cell changes
          nothing; <code>none</code> removes the value. Exports use the same columns.
        </p>
        <FileDrop
          label="Drop a CSV here"
          accept={['text/csv', '.csv']}
          onFiles={([file]) => {
            if (file !== undefined) read.mutate(file)
          }}
        />
        {read.isSuccess && (
          <Status meaning="done">
            {name}: {countText(rows, 'row')}
          </Status>
        )}
        {read.error !== null && (
          <Problem
            refusal={{
              title: `${name} cannot be read.`,
              findings: [{ field: null, message: read.error.message }],
              remedy: null,
              request_id: null,
            }}
          />
        )}
      </Stack>
    </ChangeFlow>
  )
}
