import { PrimaryLink } from '../ui/link.tsx'
import { PageHead, Row, Stack } from '../ui/panels.tsx'
import css from './shell.module.css'

/** The page for unknown URLs. */
export function NotFound() {
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead title="Page not found" facts="Check the address. The page may have been removed." />
        <Row>
          <PrimaryLink to="/">Go to the overview</PrimaryLink>
        </Row>
      </Stack>
    </main>
  )
}
