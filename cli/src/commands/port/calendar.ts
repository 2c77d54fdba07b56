import { operations } from '@demarc/client'
import { download } from '../../files.ts'
import { plain } from '../../plain.ts'
import type { Verb } from '../../verb.ts'

/** The calendar of completion dates, and the link by which applications read it. */

const calendar = download('calendar', operations.getPortOrderCalendar, {
  examples: ['port calendar -o ports.ics'],
})

const link = plain('calendar-link', operations.getPortOrderCalendarLink, { examples: ['port calendar-link'] })

const create = plain('create-calendar-link', operations.createPortOrderCalendarLink, {
  examples: ['port create-calendar-link'],
})

const revoke = plain('revoke-calendar-link', operations.revokePortOrderCalendarLink, {
  question: () => 'Revoke the calendar link?',
  done: () => 'The calendar link is revoked.',
  examples: ['port revoke-calendar-link --yes'],
})

export const calendarVerbs: readonly Verb[] = [calendar, link, create, revoke]
