interface JobWords {
  title: string
  /** What does not happen until it runs. */
  missing: string
}

/** For people: what a job does, and what is missing while it is not done, by its kind. */
export const jobWords: Readonly<Record<string, JobWords>> = {
  notify: {
    title: 'Prepare a notification',
    missing: 'The account’s callback URL is not told of an event.',
  },
  deliver: { title: 'Deliver a notification', missing: 'The account’s callback URL is not told of an event.' },
  notice: { title: 'Tell people of an event', missing: 'The people of the account do not read of it in the portal.' },
  'mail-notice': { title: 'Send a notice by e-mail', missing: 'A person does not get an e-mail.' },
  'mail-notice-summary': { title: 'Send a summary by e-mail', missing: 'A person does not get the summary of a day.' },
  'build-cdr-export': { title: 'Build a call-record export', missing: 'The account waits for its file.' },
  'expire-cdr-export': {
    title: 'Remove an expired export',
    missing: 'The file of an export stays longer than it should.',
  },
  'expire-cdr-ingest': {
    title: 'Remove expired refused lines',
    missing: 'Refused lines of a delivery of call records stay longer than they should.',
  },
  'activate-port-order': {
    title: 'Complete a port order',
    missing: 'The numbers have arrived, and their presets are not applied.',
  },
  'expire-port-order': { title: 'Close a port order', missing: 'An order that nobody went on with stays open.' },
  'warn-port-order': {
    title: 'Warn of a port order’s closing',
    missing: 'The account is not told that an order is about to be closed.',
  },
  'play-port-order': {
    title: 'Play the losing carrier',
    missing: 'The simulated carrier does not respond to an order.',
  },
  'pull-document': { title: 'Fetch a document', missing: 'A document of a port order is not there.' },
  'revalidate-e911': {
    title: 'Check emergency addresses again',
    missing: 'Addresses are not compared with the street data that is active now.',
  },
  'validate-e911s': { title: 'Check a file of addresses', missing: 'The account waits for its report.' },
  'expire-e911-validation': {
    title: 'Remove a checked file of addresses',
    missing: 'The file of a check stays longer than it should.',
  },
  'import-e911': { title: 'Load street data', missing: 'A dataset stays unfinished.' },
  'clear-e911': { title: 'Clear old street data', missing: 'Streets of removed datasets occupy room.' },
  'remove-file': { title: 'Remove a file', missing: 'A file that nothing needs occupies room.' },
  housekeeping: {
    title: 'Daily housekeeping',
    missing: 'Expired idempotency keys, and files that nothing refers to, occupy room.',
  },
}
