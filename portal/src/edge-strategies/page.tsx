import { type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import { Card, Copyable, EmptyState, Facts, FilterBar, FilterChips, Skeleton } from '../ui/index.ts'
import { FirewallRules } from './firewall-rules.tsx'
import type { RuleFormat } from '../search.ts'

type EdgeStrategy = Body<'listEdgeStrategies'>['data'][number]

/** Which addresses do I allow in my firewall? */
export function EdgeStrategiesPage() {
  const { search, change } = usePageSearch('/edge-strategies')
  const { id, format = 'addresses' } = search
  const strategies = useRead('listEdgeStrategies')
  return (
    <Page
      title="Edge strategies"
      facts="Where your calls enter the carrier’s network. Allow only these addresses through your firewall."
      call={{ operation: 'listEdgeStrategies', command: 'demarc edge-strategy list' }}
    >
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
    </Page>
  )
}

interface StrategyProps {
  strategy: EdgeStrategy
  format: RuleFormat
  onFormat(next: RuleFormat): void
}

function Strategy({ strategy: { id, attributes }, ...rest }: StrategyProps) {
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
      The operator hasn’t added its points of presence yet. Ask the operator for its network addresses.
    </EmptyState>
  )
}
