import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Stack, Skeleton } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Day, Time } from '../ui/values.tsx'
import { presetLabel } from './fields.ts'
import css from './order.module.css'
import { numbersText } from './words.ts'

type Preview = Body<'previewCompletion'>['data']['attributes']
type Preset = Preview['presets'][number]
type Failure = Preview['failures'][number]

/** A preview of the completion's effects and failures. */
export function PresetsPreview({ id }: { id: string }) {
  const preview = useQuery(q('previewCompletion', { params: { portorder_id: id } }))
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
            <ul className={css.effects}>
              <li>{numbersText(attributes.numbers_count)} will be on this account.</li>
              {attributes.presets.map((preset) => (
                <Effect key={preset.preset} preset={preset} at={attributes.activation_at} />
              ))}
            </ul>
            {attributes.failures.map((failure) => (
              <FailureText key={failure.reason} failure={failure} />
            ))}
          </Stack>
        </section>
      )}
    </Loaded>
  )
}

function Effect({
  preset: { preset, activation, applied_count, failures },
  at,
}: {
  preset: Preset
  at: string | null
}) {
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
