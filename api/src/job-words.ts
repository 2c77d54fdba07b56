interface JobWords {
  title: string
  /** The consequence until the job runs. */
  missing: string
}

/** Titles of job kinds, and the consequence while a job has not run. */
export const jobWords: Readonly<Record<string, JobWords>> = {
  notify: {
    title: 'Prepare a notification',
    missing: 'The account’s callback URL misses an event.',
  },
  deliver: { title: 'Deliver a notification', missing: 'The account’s callback URL misses an event.' },
  notice: { title: 'Notify people of an event', missing: 'The event is missing from the account’s notifications.' },
  'mail-invitation': { title: 'Send an invitation', missing: 'An invited person does not receive the link.' },
  'mail-address-proven': {
    title: 'Send a warning about removed sign-ins',
    missing: 'A person does not learn that earlier sign-ins with their address were removed.',
  },
  'mail-notice': { title: 'Send a notification email', missing: 'A person does not receive an email.' },
  'mail-notice-summary': {
    title: 'Send a daily summary email',
    missing: 'A person does not receive the daily summary.',
  },
  'build-cdr-export': { title: 'Build a call-record export', missing: 'The account is waiting for its file.' },
  'expire-cdr-export': {
    title: 'Remove an expired export',
    missing: 'An expired export file is still stored.',
  },
  'expire-cdr-ingest': {
    title: 'Remove expired rejected lines',
    missing: 'Expired rejected lines of a call-record delivery are still stored.',
  },
  'activate-port-order': {
    title: 'Complete a port order',
    missing: 'The numbers have been ported, but their settings have not been applied.',
  },
  retention: { title: 'Delete data by age', missing: 'Data whose retention period has ended is still stored.' },
  'delete-personal-data': {
    title: 'Delete personal data',
    missing: 'Personal data of an account is still stored, although its deletion was requested.',
  },
  'reseal-secrets': {
    title: 'Seal secrets with the current key',
    missing: 'An older sealing key is still in use and cannot be removed.',
  },
  'expire-port-order': { title: 'Close a port order', missing: 'An inactive order stays open.' },
  'warn-port-order': {
    title: 'Port order expiry warning',
    missing: 'The customer is not warned that an order is about to close.',
  },
  'play-port-order': {
    title: 'Simulate the losing carrier',
    missing: 'The simulated carrier does not respond to an order.',
  },
  'pull-document': { title: 'Fetch a document', missing: 'A port order is missing a document.' },
  'revalidate-e911': {
    title: 'Recheck emergency addresses',
    missing: 'Addresses have not been checked against the active street data.',
  },
  'validate-e911s': { title: 'Check a file of addresses', missing: 'The account is waiting for its report.' },
  'end-number-aging': {
    title: 'Return a released number to the inventory',
    missing: 'A released number is not for sale again.',
  },
  'expire-number-order': {
    title: 'Expire a number order',
    missing: 'An order that nobody approved still reserves its numbers.',
  },
  'expire-number-reservation': {
    title: 'End a number reservation',
    missing: 'Reserved numbers are not for sale again.',
  },
  'expire-e911-validation': {
    title: 'Remove a checked file of addresses',
    missing: 'An expired address file is still stored.',
  },
  'import-e911': { title: 'Load street data', missing: 'A dataset is not loaded.' },
  'clear-e911': { title: 'Clear old street data', missing: 'Streets of removed datasets still take up disk space.' },
  'check-call-records': {
    title: 'Compare call records with their counts',
    missing: 'Lost call records are found only by exports.',
  },
  'freeze-call-records': {
    title: 'Move old call records to the file store',
    missing: 'Old call records still take up space in the call-record store.',
  },
  'load-call-records': {
    title: 'Load old call records',
    missing: 'Summaries and repeated deliveries of an old month are refused.',
  },
  'scrub-files': {
    title: 'Compare stored files with their digests',
    missing: 'Damaged files are found only when they are downloaded.',
  },
  'remove-file': { title: 'Remove a file', missing: 'An unused file still takes up disk space.' },
  housekeeping: {
    title: 'Daily housekeeping',
    missing: 'Expired idempotency keys and unused files still take up disk space.',
  },
}

const deliveryFailures: Readonly<Record<string, string>> = {
  bad_url: 'Notifications can’t be sent to this URL.',
  port_refused: 'Notifications can’t be sent to this port.',
  address_refused: 'The address isn’t on the public internet.',
  no_public_address: 'The host name has no address on the public internet.',
  connect_failed: 'The connection was refused.',
  tls_failed: 'The certificate isn’t valid for this host name.',
  timeout: 'No complete response within 10 seconds.',
  connection_lost: 'The connection closed before the response was complete.',
  bad_response: 'The response isn’t valid HTTP.',
  too_many_redirects: 'Too many redirects (more than three).',
  redirect_not_followed: 'The redirect can’t be followed.',
  gone: 'The endpoint responded 410 Gone.',
}

/** Why an attempt to deliver a notification failed, as a sentence: `failure` as attempts show it. */
export function deliveryFailureText(failure: string): string {
  const status = /^status_(\d{3})$/.exec(failure)?.[1]
  return status === undefined ? (deliveryFailures[failure] ?? failure) : `The endpoint responded with ${status}.`
}

/** The list of failing notification receivers ends here. */
export const failingReceivers_max = 200
