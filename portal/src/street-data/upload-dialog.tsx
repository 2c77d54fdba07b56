import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { e911Datasets } from '@demarc/client'
import { clientWith, fieldError, withSession } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Checkbox, Columns, FileDrop, Select, Soft, TextField, toast } from '../ui/index.ts'
import { fetchWithProgress } from '../files.ts'
import css from './street-data.module.css'

type Format = (typeof e911Datasets.e911Formats)[number]

const formatWords: Readonly<Record<Format, string>> = {
  'msag-csv': 'Master street address guide, CSV',
  'msag-fixed': 'Master street address guide, fixed width',
  'nena-rcl-csv': 'NENA road centerlines',
  'nena-ssap-csv': 'NENA address points',
  'openaddresses-csv': 'OpenAddresses, CSV',
  'openaddresses-geojsonl': 'OpenAddresses, GeoJSON lines',
  'nad-csv': 'National Address Database (US)',
  'nar-csv': 'National Address Register (Canada)',
  'tiger-addrfeat': 'TIGER/Line, address features',
  'tiger-edges': 'TIGER/Line, edges',
  points: 'Other table of addresses',
  ranges: 'Other table of street segments',
}

const formats = e911Datasets.e911Formats.map((value) => ({ value, label: formatWords[value], hint: value }))

const mediaTypes: Readonly<Record<string, string>> = {
  zip: 'application/zip',
  gz: 'application/gzip',
  csv: 'text/csv',
  geojson: 'application/geo+json',
}

const mediaTypeOf = (name: string): string =>
  mediaTypes[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream'

/** Uploads a street-data file; the command line loads larger ones. */
export function UploadDialog({ onClose }: { onClose(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const [name, setName] = useState('')
  const [vintage, setVintage] = useState('')
  const [format, setFormat] = useState<Format | null>(null)
  const [activate, setActivate] = useState(false)
  const { load, sent } = useLoad(onClose)
  const disabledReason =
    file === null
      ? 'Choose a file first.'
      : name === ''
        ? 'Enter a dataset name, such as the county.'
        : format === null
          ? 'Choose the file’s format.'
          : null
  const send = () => {
    if (file === null || format === null) return
    load.mutate({ file, query: { name, format, ...(vintage && { vintage }), ...(activate && { activate: 'true' }) } })
  }
  return (
    <FormDialog
      title="Load street data"
      verb="Load"
      wide
      {...load}
      disabledReason={disabledReason}
      onSend={send}
      onClose={onClose}
    >
      <FileDrop
        label={file?.name ?? 'Drop a file here'}
        hint="As downloaded: plain, .gz, or .zip"
        onFiles={([first]) => setFile(first ?? null)}
      />
      <Columns>
        <TextField label="Name" value={name} onChange={setName} error={fieldError(load.error, 'name')} />
        <TextField
          label="Vintage"
          placeholder="Today"
          value={vintage}
          onChange={setVintage}
          error={fieldError(load.error, 'vintage')}
        />
      </Columns>
      <Select label="Format" options={formats} value={format} onChange={setFormat} />
      <Checkbox isSelected={activate} onChange={setActivate}>
        Activate when loaded, unless the report has warnings
      </Checkbox>
      {load.isPending && file !== null && (
        <progress className={css.sent} aria-label="Sent" value={Math.min(sent, file.size)} max={file.size} />
      )}
      <Soft as="p">
        For files with different column names or of many gigabytes, use the command line on the database host:{' '}
        <code>npm run e911:import -- FILE --format {format ?? 'FORMAT'} --name NAME</code>
      </Soft>
    </FormDialog>
  )
}

interface Loading {
  file: File
  query: { name: string; format: Format; vintage?: string; activate?: 'true' }
}

/** Uploads the file and opens the dataset. */
function useLoad(onClose: () => void) {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [sent, setSent] = useState(0)
  const load = useMutation({
    mutationFn: async ({ file, query }: Loading) => {
      const client = clientWith({ fetch: fetchWithProgress(setSent) })
      const upload = { query, body: file, content_type: mediaTypeOf(file.name) }
      return (await withSession(() => client.importE911Dataset(upload))).body.data
    },
    async onSuccess({ id, attributes: { name } }) {
      await cache.invalidateQueries()
      toast(`Loading ${name}.`)
      onClose()
      void navigate({ to: '/operator/street-data', search: { dataset: id }, replace: true })
    },
  })
  return { load, sent }
}
