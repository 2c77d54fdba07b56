/**
 * Maps FreeSWITCH's hangup cause (names of its switch_call_cause_t, after ITU-T Q.850) to the result of an unanswered call.
 * Other causes are failures.
 */
export const UNANSWERED_RESULTS = {
  ORIGINATOR_CANCEL: 'cancelled',
  LOSE_RACE: 'cancelled',
  PICKED_OFF: 'cancelled',
  USER_BUSY: 'busy',
  NO_ANSWER: 'no_answer',
  NO_USER_RESPONSE: 'no_answer',
  PROGRESS_TIMEOUT: 'no_answer',
  ALLOTTED_TIMEOUT: 'no_answer',
  // hung up after early media, without an answer
  NORMAL_CLEARING: 'no_answer',
} as const
