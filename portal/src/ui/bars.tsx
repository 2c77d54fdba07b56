import type { ReactNode } from 'react'
import css from './bars.module.css'

const height = 48
const gap = 1
const width = 8

interface BarsProps {
  label: string
  values: readonly { key: string; value: number; text: string }[]
  /** The labels of the first and last period. */
  from?: ReactNode
  to?: ReactNode
}

/** A bar chart of equal periods. */
export function Bars({ label, values, from, to }: BarsProps) {
  const most = Math.max(1, ...values.map(({ value }) => value))
  return (
    <div>
      <svg
        className={css.bars}
        role="img"
        aria-label={label}
        viewBox={`0 0 ${Math.max(1, values.length) * width} ${height}`}
        preserveAspectRatio="none"
      >
        {values.map(({ key, value, text }, i) => {
          // empty days keep their place
          const tall = Math.max(1, (value / most) * height)
          return (
            <rect key={key} x={i * width} y={height - tall} width={width - gap} height={tall}>
              <title>{text}</title>
            </rect>
          )
        })}
      </svg>
      {from !== undefined && (
        <div className={css.ends}>
          <span>{from}</span>
          <span>{to}</span>
        </div>
      )}
    </div>
  )
}
