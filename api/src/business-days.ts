/**
 * Business days of the United States and Canada, and wall-clock time in a zone. Pure: the time comes in as a value.
 * Dates are `YYYY-MM-DD` in no zone; instants are `Date`. Server and portal share these rules.
 */

/** A day of the calendar, `YYYY-MM-DD`. */
export type CivilDate = string

/** A country whose holidays are known. */
export type HolidayCountry = 'US' | 'CA'

/** Which days are off. A carrier may close on further days and open on some holidays. */
export interface Calendar {
  readonly country: HolidayCountry
  readonly closed?: readonly CivilDate[]
  readonly open?: readonly CivilDate[]
}

/** A public holiday. */
export interface Holiday {
  readonly name: string
  /** The day itself. */
  readonly date: CivilDate
  /** The weekday on which it is observed; equal to `date` unless that is on a weekend. */
  readonly observed: CivilDate
}

type Rule = { readonly name: string; readonly since?: number } & (
  | { readonly month: number; readonly day: number }
  | { readonly month: number; readonly weekday: number; readonly nth: number }
  | { readonly month: number; readonly weekday: number; readonly on_or_before: number }
  | { readonly easter: number }
)

const [sunday, monday, thursday, saturday] = [0, 1, 4, 6]

/** `nth` counts from the month's end when negative. `easter` is days after Easter Sunday. */
const holidayRules = {
  /** Legal public holidays, 5 U.S.C. 6103(a). */
  US: [
    { name: "New Year's Day", month: 1, day: 1 },
    { name: 'Birthday of Martin Luther King, Jr.', month: 1, weekday: monday, nth: 3, since: 1986 },
    { name: "Washington's Birthday", month: 2, weekday: monday, nth: 3 },
    { name: 'Memorial Day', month: 5, weekday: monday, nth: -1 },
    { name: 'Juneteenth', month: 6, day: 19, since: 2021 },
    { name: 'Independence Day', month: 7, day: 4 },
    { name: 'Labor Day', month: 9, weekday: monday, nth: 1 },
    { name: 'Columbus Day', month: 10, weekday: monday, nth: 2 },
    { name: 'Veterans Day', month: 11, day: 11 },
    { name: 'Thanksgiving Day', month: 11, weekday: thursday, nth: 4 },
    { name: 'Christmas Day', month: 12, day: 25 },
  ],
  /** General holidays of federally regulated employers, among them carriers: Canada Labour Code, Part III. */
  CA: [
    { name: "New Year's Day", month: 1, day: 1 },
    { name: 'Good Friday', easter: -2 },
    { name: 'Victoria Day', month: 5, weekday: monday, on_or_before: 24 },
    { name: 'Canada Day', month: 7, day: 1 },
    { name: 'Labour Day', month: 9, weekday: monday, nth: 1 },
    { name: 'National Day for Truth and Reconciliation', month: 9, day: 30, since: 2021 },
    { name: 'Thanksgiving Day', month: 10, weekday: monday, nth: 2 },
    { name: 'Remembrance Day', month: 11, day: 11 },
    { name: 'Christmas Day', month: 12, day: 25 },
    { name: 'Boxing Day', month: 12, day: 26 },
  ],
} as const satisfies Record<HolidayCountry, readonly Rule[]>

/** The holidays of a year, in order. One of them may be observed in the year before. */
export function holidays(country: HolidayCountry, year: number): readonly Holiday[] {
  const key = `${country} ${year}`
  const cached = holidaysByYear.get(key)
  if (cached) return cached
  const computed = computeHolidays(country, year)
  holidaysByYear.set(key, computed)
  return computed
}

/** Cached because counting business days looks up the year once per day. Bounded because years have four digits. */
const holidaysByYear = new Map<string, readonly Holiday[]>()

function computeHolidays(country: HolidayCountry, year: number): readonly Holiday[] {
  const rules: readonly Rule[] = holidayRules[country]
  const days = rules.filter((r) => year >= (r.since ?? 0)).map((r) => ({ name: r.name, day: ruleDay(r, year) }))
  const taken = new Set(days.map((d) => d.day))
  return days
    .toSorted((a, b) => a.day - b.day)
    .map(({ name, day }) => {
      const observed = country === 'US' ? nearestWeekday(day) : nextFreeWeekday(day, taken)
      taken.add(observed)
      return { name, date: dateOf(day), observed: dateOf(observed) }
    })
}

/** Why a weekday is off: the holiday's name, `Closed` for a carrier's own day off, null on business days and weekends. */
export function holidayOn(date: CivilDate, calendar: Calendar): string | null {
  if (calendar.open?.includes(date)) return null
  if (calendar.closed?.includes(date)) return 'Closed'
  const year = Number(date.slice(0, 4))
  // New Year's Day on a Saturday is observed on the last day of the year before (5 U.S.C. 6103(b)).
  const near = [...holidays(calendar.country, year), ...holidays(calendar.country, year + 1)]
  return near.find((h) => h.observed === date)?.name ?? null
}

/** Monday to Friday and no holiday. Throws RangeError on a text that is not a date. */
export function isBusinessDay(date: CivilDate, calendar: Calendar): boolean {
  const weekday = weekdayOf(date)
  return weekday !== sunday && weekday !== saturday && holidayOn(date, calendar) === null
}

/** The date itself if it is a business day, else the next one. */
export function businessDayFrom(date: CivilDate, calendar: Calendar): CivilDate {
  let day = date
  while (!isBusinessDay(day, calendar)) day = addDays(day, 1)
  return day
}

/** The `count`th business day after the date (before it, when negative). The date itself never counts; 0 returns it. */
export function addBusinessDays(date: CivilDate, count: number, calendar: Calendar): CivilDate {
  const step = Math.sign(count)
  let day = date
  for (let left = Math.abs(count); left > 0;) {
    day = addDays(day, step)
    if (isBusinessDay(day, calendar)) left -= 1
  }
  return day
}

/** Number of business days after `from`, through `to`; 0 if `to` is not later. */
export function businessDaysUntil(from: CivilDate, to: CivilDate, calendar: Calendar): number {
  let count = 0
  for (let day = addDays(from, 1); day <= to; day = addDays(day, 1)) if (isBusinessDay(day, calendar)) count += 1
  return count
}

/** "5 to 7 business days": the first and last expected day for a process that starts on `date`. */
export function businessDayWindow(
  date: CivilDate,
  least: number,
  most: number,
  calendar: Calendar,
): { earliest: CivilDate; latest: CivilDate } {
  return { earliest: addBusinessDays(date, least, calendar), latest: addBusinessDays(date, most, calendar) }
}

/** A real day, written `YYYY-MM-DD`? */
export function isDate(text: string): text is CivilDate {
  const [, y, m, d] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  return y !== undefined && dateOf(dayNumber(Number(y), Number(m), Number(d))) === text
}

/** Adds days to a date; a negative number subtracts. */
export function addDays(date: CivilDate, days: number): CivilDate {
  return dateOf(dayOf(date) + days)
}

/** Whole days from `a` to `b`; negative when `b` is earlier. */
export function daysBetween(a: CivilDate, b: CivilDate): number {
  return dayOf(b) - dayOf(a)
}

/** 0 is Sunday. */
export function weekdayOf(date: CivilDate): number {
  return weekdayOfDay(dayOf(date))
}

// Days count from 1970-01-01 (a Thursday) without a zone, so clock changes have no effect.

const day_ms = 24 * 60 * 60 * 1000

function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / day_ms
}

function dayOf(date: CivilDate): number {
  if (!isDate(date)) throw new RangeError(`not a date: ${String(date)}`)
  return Date.parse(date) / day_ms
}

const dateOf = (day: number): CivilDate => new Date(day * day_ms).toISOString().slice(0, 10)

const weekdayOfDay = (day: number) => (((day + thursday) % 7) + 7) % 7

function ruleDay(rule: Rule, year: number): number {
  if ('easter' in rule) return easterSunday(year) + rule.easter
  if ('day' in rule) return dayNumber(year, rule.month, rule.day)
  if ('on_or_before' in rule) return backTo(rule.weekday, dayNumber(year, rule.month, rule.on_or_before))
  if (rule.nth < 0) return backTo(rule.weekday, dayNumber(year, rule.month + 1, 0)) + (rule.nth + 1) * 7
  return backTo(rule.weekday, dayNumber(year, rule.month, 7)) + (rule.nth - 1) * 7
}

/** The given weekday on the day or in the six days before it. */
const backTo = (weekday: number, day: number) => day - ((weekdayOfDay(day) - weekday + 7) % 7)

/** Gregorian Easter Sunday, by the anonymous computus (Meeus, Astronomical Algorithms, chapter 8). */
function easterSunday(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const yearOfCentury = year % 100
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const toSunday = (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451)
  const days = epact + toSunday - 7 * late + 114
  return dayNumber(year, Math.floor(days / 31), (days % 31) + 1)
}

/** Federal rule of the US: Saturday's holiday is observed on Friday, Sunday's on Monday (5 U.S.C. 6103(b), E.O. 11582). */
function nearestWeekday(day: number): number {
  const weekday = weekdayOfDay(day)
  return weekday === saturday ? day - 1 : weekday === sunday ? day + 1 : day
}

/** Practice in Canada: a weekend's holiday is observed on the next business day that is not a holiday itself. */
function nextFreeWeekday(day: number, taken: ReadonlySet<number>): number {
  if (![sunday, saturday].includes(weekdayOfDay(day))) return day
  let next = day + 1
  while ([sunday, saturday].includes(weekdayOfDay(next)) || taken.has(next)) next += 1
  return next
}
