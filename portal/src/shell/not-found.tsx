import { PrimaryLink } from '../ui/link.tsx'
import { PageHead, Row, Stack } from '../ui/panels.tsx'
import css from './shell.module.css'

/** For a URL that no page has. */
export function NotFound() {
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead title="There is no such page" facts="The address may be mistyped, or what it showed is gone." />
        <Row>
          <PrimaryLink to="/">Go to the overview</PrimaryLink>
        </Row>
      </Stack>
    </main>
  )
}
