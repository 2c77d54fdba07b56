import { operationsOf, type ApiDocument, type ApiOperation } from '@demarc/client/rules'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import { Link, SearchField, Skeleton } from '../ui/index.ts'
import { found, featureNames, apiDescription } from './document.ts'
import css from './reference.module.css'

/** Which operations does the API have, and how do I use them? */
export function ReferencePage() {
  const description = useQuery(apiDescription)
  return (
    <Page
      before={<Link to="/developers">Developers</Link>}
      title="API reference"
      facts={
        <>
          Every operation of this service, with examples. For tools: <a href="/openapi.json">openapi.json</a>.
        </>
      }
    >
      <Loaded query={description} skeleton={<Skeleton rows={12} tall />}>
        {(document) => <Reference document={document} />}
      </Loaded>
    </Page>
  )
}

function Reference({ document }: { document: ApiDocument }) {
  const { operation } = useParams({ strict: false })
  return (
    <div className={`${css.split} ${operation === undefined ? '' : css.chosen}`}>
      <Operations operations={operationsOf(document)} />
      <div className={css.shown}>
        {operation !== undefined && (
          <p className={css.back}>
            <Link to="/developers/reference" search={(before) => before}>
              All operations
            </Link>
          </p>
        )}
        <Outlet />
      </div>
    </div>
  )
}

function Operations({ operations }: { operations: readonly ApiOperation[] }) {
  const { find = '' } = useSearch({ from: '/signed-in/developers/reference' })
  const navigate = useNavigate()
  const shown = found(operations, find)
  const list = useRef<HTMLDivElement>(null)
  const { operation } = useParams({ strict: false })
  useEffect(() => {
    // scroll the list, not the page, to the selected operation, also when a link led to it
    const { current } = list
    const entry = current?.querySelector('[aria-current=page]')
    if (!current || !entry) return
    const { top, bottom } = entry.getBoundingClientRect()
    const seen = current.getBoundingClientRect()
    if (top < seen.top || bottom > seen.bottom) current.scrollTop += top - seen.top - current.clientHeight / 2
  }, [operation])
  const search = (next: string) =>
    void navigate({ to: '.', search: (before) => ({ ...before, find: next || undefined }), replace: true })
  return (
    <nav className={css.list} aria-label="Operations">
      <SearchField label="Find an operation" placeholder="Name, path, or words" value={find} onChange={search} />
      <p className={css.count} role="status">
        {shown.length === operations.length
          ? `${operations.length} operations`
          : `${shown.length} of ${operations.length} operations`}
      </p>
      <div className={css.features} ref={list}>
        {featureNames.map(([feature, name]) => (
          <Feature key={feature} name={name} operations={shown.filter((each) => each.feature === feature)} />
        ))}
      </div>
    </nav>
  )
}

function Feature({ name, operations }: { name: string; operations: readonly ApiOperation[] }) {
  if (operations.length === 0) return null
  return (
    <section>
      <h2 className={css.feature}>{name}</h2>
      <ul>
        {operations.map(({ id, method, summary }) => (
          <li key={id}>
            <Link
              className={css.entry ?? ''}
              to="/developers/reference/$operation"
              params={{ operation: id }}
              search={(before) => before}
              preload={false}
            >
              <code className={css.method}>{method}</code>
              <span>{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
