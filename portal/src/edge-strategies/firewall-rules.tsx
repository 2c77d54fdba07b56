import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNow } from '../clock.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Copyable, Skeleton, Soft, Stack, Status, Tabs, Time } from '../ui/index.ts'
import css from './page.module.css'
import { blocksOf, changesSince, lastCopied, keepCopied, rulesQuery } from './rules.ts'
import { ruleFormats, type RuleFormat } from '../search.ts'

const titles = { addresses: 'Addresses', nftables: 'nftables', iptables: 'iptables', json: 'JSON' } as const

interface FirewallRulesProps {
  id: string
  format: RuleFormat
  onFormat(next: RuleFormat): void
}

/** An edge strategy's addresses, ready to copy, with the changes since they were last copied. */
export function FirewallRules({ id, format, onFormat }: FirewallRulesProps) {
  const json = useQuery(rulesQuery(id, 'json'))
  return (
    <Loaded query={json} skeleton={<Skeleton rows={6} />}>
      {(text) => <RulesOf key={id} id={id} json={text} format={format} onFormat={onFormat} />}
    </Loaded>
  )
}

function RulesOf(props: { id: string; json: string; format: RuleFormat; onFormat(next: RuleFormat): void }) {
  const { id, json, format, onFormat } = props
  const blocks = blocksOf(json)
  const [copied, setCopied] = useState(() => lastCopied(id))
  const now = useNow()
  const keep = () => {
    const kept = { at: new Date(now).toISOString(), blocks }
    keepCopied(id, kept)
    setCopied(kept)
  }
  const contents = {
    addresses: (
      <Copyable text={blocks.join('\n')} label="the addresses" onCopied={keep}>
        <ul className={css.blocks}>
          {blocks.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Copyable>
    ),
    nftables: <RulesText id={id} format="nftables" onCopied={keep} />,
    iptables: <RulesText id={id} format="iptables" onCopied={keep} />,
    json: <RulesText id={id} format="json" onCopied={keep} />,
  } as const satisfies Record<RuleFormat, unknown>
  return (
    <Stack gap="narrow">
      <SinceCopied copied={copied} blocks={blocks} />
      <Tabs
        label="Format"
        tabs={ruleFormats.map((each) => ({ id: each, title: titles[each], content: contents[each] }))}
        selected={format}
        onSelect={(next) => onFormat(ruleFormats.find((each) => each === next) ?? 'addresses')}
      />
    </Stack>
  )
}

interface RulesTextProps {
  id: string
  format: Exclude<RuleFormat, 'addresses'>
  onCopied(): void
}

function RulesText({ id, format, onCopied }: RulesTextProps) {
  const rules = useQuery(rulesQuery(id, format))
  return (
    <Loaded query={rules} skeleton={<Skeleton rows={6} />}>
      {(text) => (
        <Copyable text={text} label={`the rules for ${titles[format]}`} onCopied={onCopied}>
          <pre className={css.rules} tabIndex={0}>
            {format === 'json' ? JSON.stringify(JSON.parse(text), null, 2) : text}
          </pre>
        </Copyable>
      )}
    </Loaded>
  )
}

function SinceCopied({ copied, blocks }: { copied: ReturnType<typeof lastCopied>; blocks: readonly string[] }) {
  if (copied === null)
    return (
      <Soft as="p" size="body">
        Copy the rules, and this page will show what changes afterward.
      </Soft>
    )
  const { added, removed } = changesSince(copied.blocks, blocks)
  if (added.length + removed.length === 0)
    return (
      <p>
        <Status meaning="done">Up to date</Status> No changes since you copied them on <Time at={copied.at} />.
      </p>
    )
  return (
    <>
      <p>
        <Status meaning="needs-you">Changed</Status> since you copied them on <Time at={copied.at} />:
      </p>
      <ul className={css.change}>
        {added.map((each) => (
          <li key={each}>Allow {each}</li>
        ))}
        {removed.map((each) => (
          <li key={each}>Remove {each}</li>
        ))}
      </ul>
    </>
  )
}
