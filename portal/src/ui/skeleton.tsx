import css from './skeleton.module.css'

/** Placeholder lines in the shape of the content, to avoid layout shifts. */
export function Skeleton({ rows = 3, tall = false }: { rows?: number; tall?: boolean }) {
  return (
    <div className={css.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} className={tall ? css.tall : css.line} />
      ))}
    </div>
  )
}
