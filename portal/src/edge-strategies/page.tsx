import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { q, type Body } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { Copyable } from '../ui/copyable.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { Card, EmptyState, Facts, PageHead, Stack, Skeleton } from '../ui/panels.tsx'
import { FirewallRules } from './firewall-rules.tsx'
import { type EdgeStrategiesSearch, type RuleFormat } from '../search.ts'

type EdgeStrategy = Body<'listEdgeStrategies'>['data'][number]

/** Which addresses do I allow in my firewall? */
export function EdgeStrategiesPage() {
  const { id, format = 'addresses' } = useSearch({ from: '/signed-in/edge-strategies' })
  const change: (next: EdgeStrategiesSearch) => void = useChangeSearch('/edge-strategies')
  const strategies = useQuery(q('listEdgeStrategies'))
  return (
    <Stack>
      <PageHead
        title="Edge strategies"
        facts="Where your calls enter the carrier’s network. Allow only these addresses through your firewall."
        verb={<ShowAsApiCall operation="listEdgeStrategies" command="demarc edge-strategy list" />}
      />
      <Loaded query={strategies} skeleton={<Skeleton rows={5} tall />}>
        {({ data }) => {
          const chosen = data.find((each) => String(each.id) === id) ?? data[0]
          if (chosen === undefined) return <NoStrategies />
          return (
            <>
              <FilterBar>
                <FilterChips
                  label="Edge strategy"
                  options={data.map((each) => ({ value: String(each.id), label: each.attributes.name }))}
                  value={String(chosen.id)}
                  onChange={(next) => next !== null && change({ id: next })}
                />
              </FilterBar>
              <Strategy strategy={chosen} format={format} onFormat={(next) => change({ format: next })} />
            </>
          )
        }}
      </Loaded>
    </Stack>
  )
}

function Strategy({
  strategy: { id, attributes },
  ...rest
}: {
  strategy: EdgeStrategy
  format: RuleFormat
  onFormat(next: RuleFormat): void
}) {
  return (
    <>
      <Card title={attributes.name}>
        <Facts
          facts={[
            ['Location', attributes.description],
            ['SIP domain (NAPTR)', <Copyable key="naptr" text={attributes.naptr} />],
          ]}
        />
      </Card>
      <Card title="Firewall rules">
        <FirewallRules id={String(id)} {...rest} />
      </Card>
    </>
  )
}

function NoStrategies() {
  return (
    <EmptyState title="No edge strategies yet">
      <p>The operator hasn’t added its points of presence yet. Ask the operator for its network addresses.</p>
    </EmptyState>
  )
}
