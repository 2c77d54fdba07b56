import type { ApiDocument, Field, Shape } from '@demarc/client/rules'
import { useState } from 'react'
import { Soft } from '../ui/index.ts'
import { limitsOf, orderedFields, typeText } from './document.ts'
import css from './reference.module.css'

/** A field, or a parameter with its place. */
export interface Row extends Field {
  place?: string
}

interface FieldsProps {
  document: ApiDocument
  /** The value whose fields are shown. */
  shape?: Shape
  rows?: readonly Row[]
  /** True for a response, which doesn't mark fields as required. */
  received?: boolean
}

/** Initially open: the envelope and its attributes. */
const opened_names = ['data', 'attributes']

/** The fields of a value with their types and limits, and nested fields below them. */
export function Fields({ document, shape, rows, received = false }: FieldsProps) {
  const shown = rows ?? (shape === undefined ? [] : orderedFields(document, shape))
  const choices = choicesWithFields(document, shape)
  if (shown.length === 0 && choices.length === 0)
    return shape === undefined ? null : <p className={css.type}>{typeText(document, shape)}</p>
  return (
    <>
      <ul className={css.fields}>
        {shown.map((row) => (
          <FieldRow key={row.name} {...{ document, row, received }} />
        ))}
      </ul>
      {choices.map((choice, i) => (
        <Below
          key={i}
          title={`Form ${i + 1} of ${choices.length}`}
          opened={i === 0}
          {...{ document, received }}
          shape={choice}
        />
      ))}
    </>
  )
}

/** The alternative forms of a value. */
const choicesWithFields = (document: ApiDocument, shape: Shape | undefined): readonly Shape[] =>
  (shape?.choices ?? []).filter((each) => orderedFields(document, each).length > 0)

function FieldRow({ document, row, received }: { document: ApiDocument; row: Row; received: boolean }) {
  const { name, place, shape } = row
  const required = row.required && !received
  const { description, readOnly = false } = shape
  const facts = [place, ...(required ? ['required'] : []), ...(readOnly ? ['read-only'] : [])].filter(Boolean)
  const limits = limitsOf(shape)
  const below = orderedFields(document, shape).length
  const choices = choicesWithFields(document, shape)
  return (
    <li className={css.field}>
      <div className={css.fieldHead}>
        <code className={css.name}>{name}</code>
        <span className={css.type}>{typeText(document, shape)}</span>
        {facts.length > 0 &&
          (required ? <span className={css.required}>{facts.join(', ')}</span> : <Soft>{facts.join(', ')}</Soft>)}
      </div>
      {description !== undefined && <p>{description}</p>}
      {limits.length > 0 && <Soft as="p">{limits.join('; ')}</Soft>}
      {(below > 0 || choices.length > 0) && (
        <Below title={`Fields of ${name}`} opened={opened_names.includes(name)} {...{ document, shape, received }} />
      )}
    </li>
  )
}

interface BelowProps {
  title: string
  opened: boolean
  document: ApiDocument
  shape: Shape
  received: boolean
}

/** Nested fields, rendered when opened: some bodies have hundreds. */
function Below({ title, opened, ...of }: BelowProps) {
  const [open, setOpen] = useState(opened)
  return (
    <details className={css.below} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && <Fields {...of} />}
    </details>
  )
}
