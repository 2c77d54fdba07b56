import css from './skeleton.module.css'

/** Lines in the shape of what comes, so that nothing jumps when it does. */
export function Skeleton({ rows = 3, tall = false }: { rows?: number; tall?: boolean }) {
  return (
    <div className={css.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} className={tall ? css.tall : css.line} />
      ))}
    </div>
  )
}
