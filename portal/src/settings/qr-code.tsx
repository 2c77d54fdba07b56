import encode from 'qr'
import css from './settings.module.css'

/** Quiet zone around the code, in modules (ISO/IEC 18004, 6.3.8). */
const quiet_zone = 4

/** A QR code, generated in the page so that a secret in it never leaves it. */
export default function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encode(text, 'raw', { ecc: 'medium', border: quiet_zone })
  const size = rows.length
  return (
    <svg className={css.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path className={css.qrLight} d={`M0 0h${size}v${size}H0z`} />
      <path className={css.qrDark} d={rows.map(darkOf).join('')} />
    </svg>
  )
}

/** The dark modules of a row. */
const darkOf = (row: readonly boolean[], y: number): string =>
  row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join('')
