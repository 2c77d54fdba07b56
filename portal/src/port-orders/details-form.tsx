import { CircleAlert, TriangleAlert } from 'lucide-react'
import { Button, Select, Stack, TextField } from '../ui/index.ts'
import css from './form.module.css'
import { fieldGroups, fieldOf, type DetailName, type Details } from './fields.ts'
import { fieldOfFinding, type Finding } from './queries.ts'

export interface DetailsFormProps {
  values: Details
  onType(name: DetailName, value: string): void
  /** Called on blur, or when a suggestion is accepted. */
  onLeave(name: DetailName, value: string): void
  /** The API's error for the value. */
  errorOf(name: DetailName): string | null
  /** The findings of the order check. */
  findings: readonly Finding[]
}

/** The losing carrier and billing details, with the check's findings at their fields. */
export function DetailsForm(props: DetailsFormProps) {
  return (
    <Stack>
      {fieldGroups.map(({ title, names }) => (
        <fieldset key={title} className={css.group}>
          <legend className={css.legend}>{title}</legend>
          {names
            .filter((name) => name !== 'company' || props.values.usage_type === 'Business')
            .map((name) => (
              <DetailInput key={name} name={name} {...props} />
            ))}
        </fieldset>
      ))}
    </Stack>
  )
}

/** One detail with its error and suggestion. */
export function DetailInput({
  name,
  values,
  onType,
  onLeave,
  errorOf,
  findings,
  alone = false,
}: DetailsFormProps & {
  name: DetailName
  /** Whether it is the only field. */
  alone?: boolean
}) {
  const { label, hint, options, placeholder, required = false, secret = false } = fieldOf(name)
  const text = required || alone ? label : `${label} (optional)`
  const error = errorOf(name)
  const take = (value: string) => {
    onType(name, value)
    onLeave(name, value)
  }
  return (
    <div className={css.field} data-field={name}>
      {options === undefined ? (
        <TextField
          label={text}
          hint={hint}
          error={error}
          value={values[name]}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck="false"
          {...(secret ? { onFocus: () => values[name].startsWith('****') && onType(name, '') } : {})}
          onChange={(value) => onType(name, value)}
          onBlur={() => onLeave(name, values[name])}
        />
      ) : (
        <Select
          label={text}
          options={options}
          hint={hint}
          error={error}
          value={values[name] === '' ? null : values[name]}
          onChange={take}
        />
      )}
      {findings
        .filter((finding) => fieldOfFinding(finding) === name)
        .map((finding) => (
          <FindingText key={finding.message} finding={finding} onTake={take} />
        ))}
    </div>
  )
}

/** A finding: errors cause a rejection, warnings might. */
export function FindingText({ finding, onTake }: { finding: Finding; onTake?: (value: string) => void }) {
  const { severity, message, suggestion } = finding
  return (
    <p className={css.finding} data-meaning={severity === 'error' ? 'refused' : 'needs-you'}>
      {severity === 'error' ? <CircleAlert aria-label="Error" /> : <TriangleAlert aria-label="Warning" />}
      <span>
        {message}
        {suggestion !== null && onTake !== undefined && (
          <Button size="small" kind="plain" onPress={() => onTake(suggestion)}>
            Use “{suggestion}”
          </Button>
        )}
      </span>
    </p>
  )
}
