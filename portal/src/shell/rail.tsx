import { Ellipsis, type LucideIcon } from 'lucide-react'
import { Link, useLocation, useNavigate, useRouter, type AnyRoute } from '@tanstack/react-router'
import { Button as AriaButton } from 'react-aria-components'
import { Menu } from '../ui/index.ts'
import css from './shell.module.css'

/** Entries of the bottom bar on narrow screens; the rest are in its menu. */
const bar_max = 4

/** Navigation: at the left, or at the bottom on narrow screens. */
export function Rail({ side }: { side: 'account' | 'operator' }) {
  const pages = useRailPages(side)
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const more = pages.slice(bar_max)
  const isInMore = more.some(({ path }) => `${pathname}/`.startsWith(`${path}/`))
  return (
    <nav className={css.rail} aria-label="Pages">
      <Link to="/" className={css.brand} aria-label="Demarc">
        <img src="/icon.svg" alt="" width="24" height="24" />
        <span>Demarc</span>
      </Link>
      <ul className={css.railList}>
        {pages.map(({ path, title, icon: Icon }, i) => (
          <li key={path} className={i >= bar_max ? css.onlyWide : undefined}>
            <Link to={path} className={css.railLink} activeOptions={{ exact: path === '/', includeSearch: false }}>
              <Icon aria-hidden="true" />
              <span>{title}</span>
            </Link>
          </li>
        ))}
        {more.length > 0 && (
          <li className={css.onlyNarrow}>
            <Menu
              label="More pages"
              trigger={
                <AriaButton className={`${css.railLink} ${isInMore ? css.here : ''}`}>
                  <Ellipsis aria-hidden="true" />
                  <span>More</span>
                </AriaButton>
              }
              sections={[
                {
                  entries: more.map(({ path, title, icon: Icon }) => ({
                    id: path,
                    label: title,
                    icon: <Icon aria-hidden="true" />,
                    onAction: () => void navigate({ to: path }),
                  })),
                },
              ]}
            />
          </li>
        )}
      </ul>
    </nav>
  )
}

interface RailPage {
  path: string
  title: string
  icon: LucideIcon
}

/** The rail's pages, in the order of routes.ts. */
export function useRailPages(side: 'account' | 'operator'): RailPage[] {
  const router = useRouter()
  const routes: AnyRoute[] = Object.values(router.routesById)
  return routes.flatMap(({ options, fullPath }) => {
    const { title = '', rail } = options.staticData ?? {}
    return rail?.side === side || rail?.side === 'both' ? [{ path: fullPath, title, icon: rail.icon }] : []
  })
}
