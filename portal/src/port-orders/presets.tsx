import { useState } from 'react'
import { editAllowed, terminal } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, refusalOf, useChange } from '../api.ts'
import { Button, Card, Facts, type Option, Problem, Select, Soft, Stack, TextField } from '../ui/index.ts'
import formCss from './form.module.css'
import { useOptions } from '../numbers/change-fields.tsx'
import { PresetsPreview } from './presets-preview.tsx'
import { presetLabel } from './fields.ts'
import type { PortOrder, PortOrderAttributes } from './words.ts'

type Presets = PortOrderAttributes['presets']
type PresetName = keyof Presets

const chosen = ['primary_route_id', 'failover_route_id', 'cnam_id', 'e911_id'] as const satisfies readonly PresetName[]
type Chosen = (typeof chosen)[number]

/** Settings applied to the numbers on completion. */
export function PresetsCard({ order }: { order: PortOrder }) {
  const [editing, setEditing] = useState(false)
  const readOnly = useReadOnlyReason()
  const { status } = order.attributes
  const allowed = editAllowed('presets', status)
  const disabledReason = readOnly ?? (allowed.ok ? null : allowed.reason)
  const editable = editing && disabledReason === null
  return (
    <Card
      title={status === 'Completed' ? 'Set on completion' : 'On completion'}
      aside={
        <Button size="small" disabledReason={disabledReason} onPress={() => setEditing(!editable)}>
          {editable ? 'Done' : 'Change'}
        </Button>
      }
    >
      <Stack gap="narrow">
        {editable ? <PresetsForm order={order} /> : <PresetFacts presets={order.attributes.presets} />}
        {!terminal(status) && <PresetsPreview id={order.id} />}
      </Stack>
    </Card>
  )
}

/** Options, by preset. */
function useChoices(): Record<Chosen, readonly Option[]> {
  const { routes, cnams, e911s } = useOptions()
  return { primary_route_id: routes, failover_route_id: routes, cnam_id: cnams, e911_id: e911s }
}

function PresetFacts({ presets }: { presets: Presets }) {
  const choices = useChoices()
  const names = chosen.filter((name) => presets[name] !== null)
  if (names.length === 0 && presets.alias === null)
    return <Soft as="p">No settings: calls go to the default route, and numbers have no caller ID name.</Soft>
  return (
    <Facts
      facts={[
        ...names.map(
          (name) =>
            [
              presetLabel(name),
              choices[name].find(({ value }) => value === `id:${presets[name]}`)?.label ?? `Record ${presets[name]}`,
            ] as const,
        ),
        ...(presets.alias === null ? [] : [[presetLabel('alias'), presets.alias] as const]),
      ]}
    />
  )
}

/** Saves each choice immediately. */
export function PresetsForm({ order }: { order: PortOrder }) {
  const choices = useChoices()
  const change = useChange('updatePortOrder')
  const { presets } = order.attributes
  const [alias, setAlias] = useState(presets.alias ?? '')
  const save = (preset: Partial<Record<PresetName, string | null>>) =>
    change.mutate({ params: { portorder_id: order.id }, body: { presets: preset } })
  const errorOf = (name: PresetName) => fieldError(change.error, `presets.${name}`) ?? fieldError(change.error, name)
  const shown = [...chosen, 'alias' as const].some((name) => errorOf(name) !== null)
  return (
    <div className={formCss.group}>
      {chosen.map((name) => (
        <Select
          key={name}
          label={presetLabel(name)}
          options={[{ value: 'none', label: noneText[name] }, ...choices[name]]}
          value={presets[name] === null ? 'none' : `id:${presets[name]}`}
          onChange={(value) => save({ [name]: value === 'none' ? null : value.replace('id:', '') })}
          error={errorOf(name)}
        />
      ))}
      <TextField
        label={presetLabel('alias')}
        value={alias}
        onChange={setAlias}
        onBlur={() => alias !== (presets.alias ?? '') && save({ alias: alias === '' ? null : alias })}
        error={errorOf('alias')}
      />
      {change.error && !shown && <Problem refusal={refusalOf(change.error)} />}
    </div>
  )
}

const noneText = {
  primary_route_id: 'The default route',
  failover_route_id: 'None',
  cnam_id: 'None; the number is shown',
  e911_id: 'None; required for 911',
} as const satisfies Record<Chosen, string>
