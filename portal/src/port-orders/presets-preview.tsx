import { type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Day, Skeleton, Stack, Status, Time } from '../ui/index.ts'
import { presetLabel } from './fields.ts'
import css from './order.module.css'
import { numbersText } from './words.ts'

type Preview = Body<'previewCompletion'>['data']['attributes']
type Preset = Preview['presets'][number]
type Failure = Preview['failures'][number]

/** A preview of the completion's effects and failures. */
export function PresetsPreview({ id }: { id: string }) {
  const preview = useRead('previewCompletion', { params: { portorder_id: id } })
  return (
    <Loaded query={preview} skeleton={<Skeleton rows={2} />}>
      {({ data: { attributes } }) => (
        <section className={css.preview} aria-label="Changes on completion">
          <Stack gap="narrow">
            <h3>
              {attributes.completion_date === null ? (
                'On the port date'
              ) : (
                <>
                  On <Day value={attributes.completion_date} weekday />
                </>
              )}
            </h3>
            <Stack as="ul" gap="tight">
              <li>{numbersText(attributes.numbers_count)} will be on this account.</li>
              {attributes.presets.map((preset) => (
                <Effect key={preset.preset} preset={preset} at={attributes.activation_at} />
              ))}
            </Stack>
            {attributes.failures.map((failure) => (
              <FailureText key={failure.reason} failure={failure} />
            ))}
          </Stack>
        </section>
      )}
    </Loaded>
  )
}

interface EffectProps {
  preset: Preset
  at: string | null
}

function Effect({ preset: { preset, activation, applied_count, failures }, at }: EffectProps) {
  return (
    <li>
      {presetLabel(preset)}: {applied_count === 0 ? 'on none' : `on ${numbersText(applied_count)}`}
      {applied_count > 0 &&
        (activation === 'completion' ? (
          ', immediately.'
        ) : at === null ? (
          ', at 8 a.m. that day.'
        ) : (
          <>
            , at <Time at={at} />.
          </>
        ))}
      {failures.map((failure) => (
        <FailureText key={failure.reason} failure={failure} />
      ))}
    </li>
  )
}

function FailureText({ failure: { reason, numbers_count } }: { failure: Failure }) {
  return (
    <p className={css.failure}>
      <Status meaning="refused">{numbersText(numbers_count)}</Status> {reason}
    </p>
  )
}
