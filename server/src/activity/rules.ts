import { portoutEvents } from './portout-events.ts'
import { numberOrderEvents } from './number-order-events.ts'
import {
  because,
  capitalized,
  changeOf,
  counted,
  listOf,
  numbersOf,
  objectOf,
  picked,
  plain,
  quoted,
  takenOff,
  textOf,
  wereOf,
  words,
  type Facts,
  type NameOf,
  type Shown,
} from './sentences.ts'

/** What customers see of events: a sentence, and the facts that belong to them. Pure. */

const numberColumns = ['alias', 'primary_route_id', 'failover_route_id', 'cnam_id', 'e911_id', 'cnam_lookups_enabled']
const presetColumns = ['alias', 'primary_route_id', 'failover_route_id', 'cnam_id', 'e911_id']
const routeColumns = ['alias', 'route_type', 'value', 'edge_strategy_id']
const named = ['numbers_count', 'numbers']

/** Every event type on an account's chain; null for those only the operator sees. */
export const catalog: Readonly<Record<string, Shown | null>> = {
  'account.created': { sentence: () => 'The account was created.' },
  'account.closed': { sentence: () => 'The account was closed.' },
  'access_key.created': {
    sentence: (facts) => `The access key ${quoted(facts['name'])} was created.`,
    details: ['name', 'scopes'],
  },
  'access_key.revoked': { sentence: () => 'An access key was revoked.' },
  'access_key.rotated': { sentence: () => 'An access key was replaced.', details: ['replaced_by'] },
  'signing_secret.rotated': { sentence: () => 'The secret that signs callbacks was replaced.' },

  'invitation.created': {
    sentence: (facts) => `Someone was invited as ${plain(textOf(facts['role']))}.`,
    details: ['role'],
  },
  'invitation.withdrawn': {
    sentence: (facts) => `An invitation as ${plain(textOf(facts['role']))} was withdrawn.`,
    details: ['role'],
  },
  'membership.created': {
    sentence: (facts) => `Someone joined the account as ${plain(textOf(facts['role']))}.`,
    details: ['role'],
  },
  'membership.changed': {
    sentence: () => 'A person’s role was changed.',
    details: ['from', 'to'],
  },
  'membership.removed': {
    sentence: (facts) => `A person with the role ${plain(textOf(facts['role']))} was removed from the account.`,
    details: ['role'],
  },

  'numbers.added': {
    sentence: (facts) => `${numbersOf(facts)} ${wereOf(facts)} added to the account.`,
    details: named,
  },
  'number.changed': { sentence: (facts, nameOf) => changeOf(facts, numberColumns, nameOf), changes: numberColumns },
  ...portoutEvents,
  ...numberOrderEvents,

  'route.created': {
    sentence: (facts) => `The voice route ${quoted(facts['alias'])} to ${textOf(facts['value'])} was created.`,
    details: routeColumns,
  },
  'route.changed': { sentence: (facts, nameOf) => changeOf(facts, routeColumns, nameOf), changes: routeColumns },
  'route.deleted': {
    sentence: (facts) => `The voice route ${quoted(facts['alias'])} was deleted.`,
    details: ['alias', 'route_type', 'value'],
  },

  'cnam.created': {
    sentence: (facts) => `The caller ID name ${quoted(facts['value'])} was requested.`,
    details: ['value'],
  },
  'cnam.changed': { sentence: (facts, nameOf) => changeOf(facts, ['value'], nameOf), changes: ['value'] },
  'cnam.deleted': {
    sentence: (facts) => `The caller ID name ${quoted(facts['value'])} was deleted${takenOff(facts)}.`,
    details: ['value', ...named],
  },
  'cnam.approved': {
    sentence: (facts) => `The caller ID name ${quoted(facts['value'])} was approved.`,
    details: ['value'],
  },
  'cnam.rejected': {
    sentence: (facts) =>
      `The caller ID name ${quoted(facts['value'])} was rejected${because(facts['rejection_reason'])}`,
    details: ['value', 'rejection_reason'],
  },
  'cnam.withdrawn': {
    sentence: (facts) =>
      `The approval of the caller ID name ${quoted(facts['value'])} was withdrawn${because(facts['rejection_reason'])}`,
    details: ['value', 'rejection_reason', ...named],
  },

  'e911.created': {
    sentence: (facts) => `The emergency address was added and validated at level ${textOf(facts['level'])}.`,
    details: ['level'],
  },
  'e911.changed': {
    sentence: (facts) => {
      const names = [...listOf(facts['changed']), ...listOf(facts['cleared'])]
      return `The emergency address was changed${names.length === 0 ? '' : `: ${words(names)}`} and validated at level ${textOf(facts['level'])}.`
    },
    details: ['level', 'changed', 'cleared'],
  },
  'e911.deleted': { sentence: () => 'The emergency address was deleted.' },
  'e911.verdict_worsened': {
    sentence: (facts) =>
      `A new check of the emergency address had a worse result: ${plain(textOf(facts['verdict']))} instead of ${plain(textOf(facts['level_before']))}.`,
    details: ['level_before', 'verdict'],
  },
  'e911_validation.requested': { sentence: () => 'Validation of an address file was requested.' },
  'e911_validation.completed': {
    sentence: (facts) => `Validation of a file with ${counted(facts['rows'], 'address', 'addresses')} is complete.`,
    details: ['rows', 'sha256'],
  },
  'e911_validation.failed': {
    sentence: (facts) => `Validation of an address file failed${because(facts['failure_reason'])}`,
    details: ['failure_reason'],
  },
  'e911_validation.expired': { sentence: () => 'The result of an address file validation expired.' },

  'cdrexport.requested': {
    sentence: (facts) => `A call-record export as ${textOf(facts['format'])} was requested.`,
    details: ['format'],
  },
  'cdrexport.completed': {
    sentence: (facts) => `The export of ${counted(facts['num_calls'], 'call', 'calls')} is ready.`,
    details: ['num_calls', 'sha256'],
  },
  'cdrexport.failed': {
    sentence: (facts) => `The call-record export failed${because(facts['failure_reason'])}`,
    details: ['failure_reason'],
  },
  'cdrexport.expired': { sentence: () => 'The file of a call-record export expired.' },

  'notification.failing': {
    sentence: () => 'Callbacks to one of your URLs keep failing.',
    details: ['origin', 'attempts', 'failure', 'notification_id'],
  },
  'notification.tested': { sentence: () => 'A test event was sent to a URL.' },
  'notification.replayed': { sentence: () => 'A callback was sent again.' },

  'portorder.created': {
    sentence: (facts) => `The port order of ${numbersOf(facts)} was created.`,
    details: ['group_id', ...named],
  },
  'portorder.signed': { sentence: () => 'The Letter of Agency was signed.', details: ['from', 'to'] },
  'portorder.submitted': { sentence: () => 'The order was sent to the losing carrier.', details: ['from', 'to'] },
  'portorder.accepted': {
    sentence: (facts) => `The losing carrier accepted the order; the FOC date is ${textOf(facts['completion_date'])}.`,
    details: ['from', 'to', 'completion_date'],
  },
  'portorder.rescheduled': {
    sentence: (facts) => `The FOC date was changed to ${textOf(facts['completion_date'])}.`,
    details: ['from', 'to', 'completion_date'],
  },
  'portorder.rejected': {
    sentence: (facts) => `The order was rejected${because(facts['title'] ?? facts['reason'])}`,
    details: ['from', 'to', 'code', 'title', 'reason'],
  },
  'portorder.resubmitted': { sentence: () => 'The order was corrected and resubmitted.', details: ['from', 'to'] },
  'portorder.canceled': { sentence: () => 'The order was canceled.', details: ['from', 'to'] },
  'portorder.expiring': {
    sentence: () => 'The order will close soon because of inactivity.',
    details: ['days_left', 'due_at', 'status', 'becomes'],
  },
  'portorder.expired': {
    sentence: () => 'The order was closed after 45 days of inactivity.',
    details: ['from', 'to'],
  },
  'portorder.completed': {
    sentence: () => 'The order is complete: the numbers are on the account.',
    details: ['from', 'to'],
  },
  'portorder.changed': {
    sentence: (facts) => {
      const names = [...new Set([...Object.keys(objectOf(facts['to'])), ...listOf(facts['secrets'])])]
      return `The order was changed${names.length === 0 ? '' : `: ${words(names)}`}.`
    },
    details: ['cleared'],
  },
  'portorder.presets_changed': {
    sentence: (facts, nameOf) => changeOf(facts, presetColumns, nameOf),
    changes: presetColumns,
  },
  'portorder.numbers_changed': {
    sentence: (facts) => {
      const [added, removed] = [objectOf(facts['added']), objectOf(facts['removed'])]
      const added_text = added['numbers_count'] ? `${numbersOf(added)} ${wereOf(added)} added to the order` : null
      const removed_text = removed['numbers_count'] ? `${numbersOf(removed)} ${wereOf(removed)} removed from it` : null
      return `${[added_text, removed_text].filter((each) => each !== null).join('; ')}.`
    },
    details: ['added', 'removed'],
  },
  'portorder.numbers_failed': {
    sentence: (facts) => `${numbersOf(facts)} could not be ported${because(facts['reason'])}`,
    details: ['reason', ...named],
  },
  'portorder.numbers_left_behind': {
    sentence: (facts) => `${numbersOf(facts)} stayed with the losing carrier${because(facts['reason'])}`,
    details: ['reason', ...named],
  },
  'portorder.preset_failed': {
    sentence: (facts) =>
      `The preset ${plain(textOf(facts['preset']))} was not applied to ${numbersOf(facts)}${because(facts['reason'])}`,
    details: ['preset', 'value', 'reason', ...named],
  },
  'portorder.commented': { sentence: () => 'A comment was added to the order.', details: ['comment_id'] },
  // the operator's internal notes
  'portorder.noted': null,
  'portorder_calendar.linked': { sentence: () => 'A calendar link to the completion dates was created.' },
  'portorder_calendar.revoked': { sentence: () => 'The calendar link to the completion dates was revoked.' },
  'portorder.file_requested': {
    sentence: (facts) => `The document ${quoted(facts['file'])} was requested from its URL.`,
    details: ['file_id', 'file'],
  },
  'portorder.file_uploaded': {
    sentence: (facts) => `The document ${quoted(facts['file'])} was uploaded.`,
    details: ['file_id', 'file', 'bytes', 'sha256'],
  },
  'portorder.file_complete': {
    sentence: (facts) => `The document ${quoted(facts['file'])} was fetched from its URL.`,
    details: ['file_id', 'file', 'bytes', 'sha256'],
  },
  'portorder.file_failed': {
    sentence: (facts) => `The document ${quoted(facts['file'])} could not be fetched${because(facts['reason'])}`,
    details: ['file_id', 'file', 'reason'],
  },
}

/** Event types that customers see. Types missing from the catalog are not shown. */
export const shownTypes: readonly string[] = Object.entries(catalog).flatMap(([type, shown]) => (shown ? [type] : []))

/** The ids that these events set in these columns. */
export const idsSet = (events: readonly Facts[], columns: readonly string[]): string[] => [
  ...new Set(
    events
      .flatMap((facts) => columns.map((column) => textOf(objectOf(facts['to'])[column])))
      .filter((id) => /^\d{1,18}$/.test(id)),
  ),
]

/** An event as a customer sees it. Throws for a type that is not shown. */
export function shownEvent(
  type: string,
  facts: Facts,
  nameOf: NameOf = () => null,
): { sentence: string; details: Record<string, unknown> } {
  const shown = catalog[type]
  if (!shown) throw new Error(`events of type ${type} are not shown`)
  const { details = [], changes } = shown
  return {
    sentence: capitalized(shown.sentence(facts, nameOf)),
    details: {
      ...picked(facts, details),
      ...(changes
        ? { from: picked(objectOf(facts['from']), changes), to: picked(objectOf(facts['to']), changes) }
        : {}),
    },
  }
}
