import { CircleAlert, TriangleAlert } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import css from './form.module.css'
import { fieldGroups, fieldOf, type DetailName, type Details } from './fields.ts'
import { fieldOfFinding, type Finding } from './queries.ts'

export interface DetailsFormProps {
  values: Details
  onType(name: DetailName, value: string): void
  /** The field was left, or its suggestion was taken. */
  onLeave(name: DetailName, value: string): void
  /** What is wrong with the value, in the words of the API. */
  errorOf(name: DetailName): string | null
  /** What the check of the order says. */
  findings: readonly Finding[]
}

/** The losing carrier and its bill: what the check finds stands beside the field that it is about. */
export function DetailsForm(props: DetailsFormProps) {
  return (
    <div className={css.form}>
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
    </div>
  )
}

/** One detail, with what is wrong with it and what could be written instead. */
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
  /** It is the only one that is asked for. */
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
          onChange={(value) => value !== null && take(value)}
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

/** What the check says of a field: an error stops the order, a warning may. */
export function FindingText({ finding, onTake }: { finding: Finding; onTake?: (value: string) => void }) {
  const { severity, message, suggestion } = finding
  return (
    <p className={css.finding} data-severity={severity}>
      {severity === 'error' ? <CircleAlert aria-label="Error" /> : <TriangleAlert aria-label="Warning" />}
      <span>
        {message}
        {suggestion !== null && onTake !== undefined && (
          <Button size="small" kind="plain" onPress={() => onTake(suggestion)}>
            Write “{suggestion}”
          </Button>
        )}
      </span>
    </p>
  )
}
