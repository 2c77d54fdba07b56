import { problems, type ProblemType } from '@demarc/client'
import {
  operationsOf,
  requestBodyOf,
  shapeOf,
  type ApiDocument,
  type ApiOperation,
  type RequestBody,
  type Response,
} from '@demarc/client/rules'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Call } from '../shell/api-call.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Card, type Column, Copyable, EmptyState, Facts, Soft, Stack, Table } from '../ui/index.ts'
import { clientExample, commandExample, curlExample, exampleRequest } from './examples.ts'
import { Fields, type Row } from './fields.tsx'
import css from './reference.module.css'
import { SendRequest } from './send.tsx'
import { signedInText, apiDescription } from './document.ts'

/** How do I send this operation, and what does it return? */
export function ReferenceOperation() {
  const { operation: id } = useParams({ from: '/signed-in/developers/reference/$operation' })
  const description = useQuery(apiDescription)
  return (
    <Loaded query={description}>
      {(document) => {
        const operation = operationsOf(document).find((each) => each.id === id)
        return operation === undefined ? (
          <EmptyState title="Unknown operation">
            There is no operation <code>{id}</code>. Search the list to find the one you need.
          </EmptyState>
        ) : (
          <Shown document={document} operation={operation} />
        )
      }}
    </Loaded>
  )
}

function Shown({ document, operation }: { document: ApiDocument; operation: ApiOperation }) {
  const { id, method, path, summary, description, signed_in_by } = operation
  const body = requestBodyOf(document, operation)
  return (
    <Stack>
      <header className={css.head}>
        <h2>{summary}</h2>
        <Copyable text={path} label="the path">
          <code className={css.path}>
            <strong>{method}</strong> {path}
          </code>
        </Copyable>
        {description !== null && <Marked text={description} />}
        <Facts
          facts={[
            ['Name', <code key="id">{id}</code>],
            ['Authentication', signedInText(signed_in_by)],
          ]}
        />
      </header>
      <Examples document={document} operation={operation} />
      <SendRequest key={id} operation={operation} example={exampleRequest(document, operation)} />
      <Parameters document={document} operation={operation} />
      {body !== null && <RequestCard document={document} body={body} medias={Object.keys(operation.body ?? {})} />}
      <Responses document={document} operation={operation} />
      <Problems operation={operation} />
    </Stack>
  )
}

function Examples({ document, operation }: { document: ApiDocument; operation: ApiOperation }) {
  const command = commandExample(operation)
  return (
    <Card title="Examples">
      <Stack gap="narrow">
        <Call title="With curl" text={curlExample(document, operation, location.origin)} label="the curl command" />
        <Call title="With the typed client" text={clientExample(document, operation)} label="the code" />
        {command !== null && <Call title="With the command line" text={command} label="the command" />}
      </Stack>
    </Card>
  )
}

function Parameters({ document, operation: { parameters } }: { document: ApiDocument; operation: ApiOperation }) {
  if (parameters.length === 0) return null
  const places = { path: 'in the path', query: 'in the query', header: 'header' } as const
  const rows = parameters.map(({ name, in: place, required = false, description, schema }): Row => ({
    name,
    required,
    place: places[place],
    shape: { ...shapeOf(document, schema), ...(description !== undefined && { description }) },
  }))
  return (
    <Card title="Parameters">
      <Fields document={document} rows={rows} />
    </Card>
  )
}

interface RequestCardProps {
  document: ApiDocument
  body: RequestBody
  medias: readonly string[]
}

function RequestCard({ document, body, medias }: RequestCardProps) {
  const { shape, envelope } = body
  return (
    <Card title="Body" aside={<Medias medias={medias} />}>
      <Stack gap="narrow">
        {shape === null && <p>A file or stream in one of these media types.</p>}
        {envelope !== null && (
          <Soft as="p">
            {envelope.required
              ? 'Send these as the attributes of a document: '
              : 'Send these directly, or as the attributes of a document: '}
            <code>{`{"data": {"type": "${envelope.type}", "attributes": {…}}}`}</code>
          </Soft>
        )}
        {shape !== null && <Fields document={document} shape={shape} />}
      </Stack>
    </Card>
  )
}

const Medias = ({ medias }: { medias: readonly string[] }) => <Soft>{medias.join(', ')}</Soft>

function Responses({ document, operation: { responses } }: { document: ApiDocument; operation: ApiOperation }) {
  return responses
    .filter(([status]) => Number(status) < 400)
    .map(([status, { description, content = {} }]) => {
      const schema = Object.values(content).find((each) => each.schema !== undefined)?.schema
      return (
        <Card key={status} title={`Response ${status}`} aside={<Medias medias={Object.keys(content)} />}>
          <Stack gap="narrow">
            <Marked text={description} />
            {schema !== undefined && <Fields document={document} shape={shapeOf(document, schema)} received />}
          </Stack>
        </Card>
      )
    })
}

interface Refused {
  status: string
  type: ProblemType
}

const columns: Column<Refused>[] = [
  { title: 'Status', cell: ({ status }) => status },
  { title: 'Problem', head: true, cell: ({ type }) => <code>{type}</code> },
  { title: 'Meaning', cell: ({ type }) => <Marked text={problems[type].meaning} /> },
  { title: 'What to do', cell: ({ type }) => <Marked text={problems[type].remedy} /> },
]

function Problems({ operation: { responses } }: { operation: ApiOperation }) {
  const rows = responses.flatMap(([status, response]) => problemsIn(response).map((type) => ({ status, type })))
  return (
    <Card title="Errors" flush>
      <Table label="Problems" columns={columns} rows={rows} keyOf={({ type }) => type} />
    </Card>
  )
}

const problemsIn = (response: Response): ProblemType[] =>
  (response['x-problems'] ?? []).filter((each): each is ProblemType => Object.hasOwn(problems, each))

/** Text of the description, with code in backticks set as code. */
function Marked({ text }: { text: string }) {
  return (
    <p className={css.words}>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</p>
  )
}
