import { ArrowRight, PhoneIncoming } from 'lucide-react'
import { type Body, useRead } from '../api.ts'
import { phoneText } from '../ui/text.ts'
import { PhoneNumber } from '../ui/index.ts'
import css from './number.module.css'

type Route = Extract<Body<'getNumber'>['included'][number], { type: 'route' }>

interface CallPathProps {
  value: string
  primary: Route | undefined
  failover: Route | undefined
}

/** The number, its route, and its failover. */
export function CallPath({ value, primary, failover }: CallPathProps) {
  return (
    <ol className={css.path} aria-label="Call path">
      <li className={css.node}>
        <span className={css.what}>
          <PhoneIncoming aria-hidden="true" /> A call to
        </span>
        <PhoneNumber value={value} />
      </li>
      <li className={css.arrow} aria-hidden="true">
        <ArrowRight />
      </li>
      <RouteNode what="goes to" route={primary} none="the default route" />
      <li className={css.arrow} aria-hidden="true">
        <ArrowRight />
      </li>
      <RouteNode what="failover" route={failover} none="not set" />
    </ol>
  )
}

function RouteNode({ what, route, none }: { what: string; route: Route | undefined; none: string }) {
  if (route === undefined)
    return (
      <li className={`${css.node} ${css.none}`}>
        <span className={css.what}>{what}</span>
        {none}
      </li>
    )
  const { alias, value, route_type, edge_strategy_id } = route.attributes
  return (
    <li className={css.node}>
      <span className={css.what}>{what}</span>
      <strong>{alias}</strong>
      {value !== null && value !== alias && (
        <span className={css.value}>{route_type === 'number' ? phoneText(value) : value}</span>
      )}
      {edge_strategy_id !== null && <EdgeStrategy id={edge_strategy_id} />}
    </li>
  )
}

/** The addresses calls come from, which the route's host must allow. */
function EdgeStrategy({ id }: { id: number }) {
  const edge = useRead('getEdgeStrategy', { params: { edge_strategy_id: String(id) } })
  const attributes = edge.data?.data.attributes
  if (attributes === undefined) return null
  return (
    <span className={css.value}>
      from {attributes.description || attributes.name}: {attributes.firewall_rules}
    </span>
  )
}
