import { Fragment, memo, useCallback, useEffect, useRef, type ReactNode } from 'react'
import css from './table.module.css'

export interface Column<Row> {
  /** Differs from those of the other columns. */
  title: string
  cell(row: Row): ReactNode
  /** `end` for figures. */
  align?: 'end'
  /** The column that names the row, used as the card's title on narrow screens. */
  head?: true
  /** Actions; the title is visually hidden. */
  verbs?: true
  /** Hidden on medium-width screens. */
  minor?: true
}

export interface Selection {
  selected: ReadonlySet<string>
  onChange(selected: ReadonlySet<string>): void
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** By default the row's id. */
  keyOf?(row: Row): string
  selection?: Selection
  /** The row open next to the table. */
  current?: string | undefined
  /** The content below an expanded row; null for the others. */
  below?(row: Row): ReactNode
  /** The rows are stale and newer data is loading. */
  busy?: boolean
  /** Few short columns that also fit on narrow screens. */
  dense?: boolean
}

export function Table<Row extends { id: string }>(props: TableProps<Row>): ReactNode
export function Table<Row>(props: TableProps<Row> & Required<Pick<TableProps<Row>, 'keyOf'>>): ReactNode
/** A native table, which stays fast at any length. Below 640 px each row becomes a card. */
export function Table<Row>({
  label,
  columns,
  rows,
  // the signatures above require it of rows without an id
  keyOf = (row) => Object(row).id,
  selection,
  current,
  below,
  busy = false,
  dense = false,
}: TableProps<Row>) {
  const keys = rows.map(keyOf)
  const latest = useRef(selection)
  useEffect(() => {
    latest.current = selection
  })
  const select = useCallback((id: string, on: boolean) => {
    if (latest.current === undefined) return
    const { selected, onChange } = latest.current
    onChange(on ? selected.union(new Set([id])) : selected.difference(new Set([id])))
  }, [])
  return (
    // focusable for keyboard scrolling
    <div
      className={`${css.frame} ${dense ? '' : css.cards}`}
      aria-busy={busy}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className={css.table}>
        <caption className={css.caption}>{label}</caption>
        <Head columns={columns} keys={keys} selection={selection} />
        <tbody>
          {rows.map((row, i) => (
            <Fragment key={keys[i]}>
              <BodyRow
                id={keys[i] ?? ''}
                row={row}
                columns={columns}
                isSelected={selection?.selected.has(keys[i] ?? '')}
                isCurrent={current !== undefined && keys[i] === current}
                onSelect={select}
              />
              <Below span={columns.length + (selection === undefined ? 0 : 1)}>{below?.(row)}</Below>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A full-width row. */
const Below = ({ span, children }: { span: number; children: ReactNode }) =>
  children == null ? null : (
    <tr className={css.below}>
      <td colSpan={span}>{children}</td>
    </tr>
  )

interface RowProps<Row> {
  id: string
  row: Row
  columns: readonly Column<Row>[]
  /** Undefined if rows aren't selectable. */
  isSelected: boolean | undefined
  isCurrent: boolean
  onSelect(id: string, on: boolean): void
}

/** Memoized, because a table's surroundings re-render with each keystroke of a search. React's memo type loses the row's type, hence the cast. */
const BodyRow = memo(DrawnRow) as typeof DrawnRow

function DrawnRow<Row>({ id, row, columns, isSelected, isCurrent, onSelect }: RowProps<Row>) {
  return (
    <tr data-selected={isSelected || undefined} aria-current={isCurrent || undefined}>
      {isSelected !== undefined && (
        <td className={css.check}>
          <label>
            <input
              type="checkbox"
              aria-label={`Select ${id}`}
              checked={isSelected}
              onChange={({ target }) => onSelect(id, target.checked)}
            />
          </label>
        </td>
      )}
      {columns.map((column) =>
        column.head === true ? (
          <th key={column.title} scope="row" className={`${css.head} ${classOf(column)}`}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.title} className={classOf(column)} data-title={column.title}>
            <div>{column.cell(row)}</div>
          </td>
        ),
      )}
    </tr>
  )
}

interface HeadProps<Row> {
  columns: readonly Column<Row>[]
  keys: readonly string[]
  selection: Selection | undefined
}

function Head<Row>({ columns, keys, selection }: HeadProps<Row>) {
  return (
    <thead>
      <tr>
        {selection !== undefined && (
          <th className={css.check}>
            <SelectAll keys={keys} {...selection} />
          </th>
        )}
        {columns.map((column) => (
          <th key={column.title} scope="col" className={classOf(column)}>
            {column.verbs === true ? <span className={css.caption}>{column.title}</span> : column.title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const classOf = <Row,>({ align, minor, verbs }: Column<Row>) =>
  `${align === 'end' ? css.end : ''} ${minor === true ? css.minor : ''} ${verbs === true ? css.verbs : ''}`

function SelectAll({ keys, selected, onChange }: Selection & { keys: readonly string[] }) {
  const count = keys.filter((key) => selected.has(key)).length
  return (
    <label>
      <input
        type="checkbox"
        aria-label="Select all on this page"
        ref={(input) => {
          if (input !== null) input.indeterminate = count > 0 && count < keys.length
        }}
        checked={count > 0 && count === keys.length}
        onChange={({ target }) =>
          onChange(target.checked ? selected.union(new Set(keys)) : selected.difference(new Set(keys)))
        }
      />
    </label>
  )
}
