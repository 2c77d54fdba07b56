/**
 * Words and phrases that no comment, test name, message or page of documentation uses, with what to write instead. Identifiers
 * have their own list in words.test.ts.
 */
export const retiredPhrases: readonly (readonly [RegExp, string])[] = [
  [/\bwhat of\b/i, 'name the thing: which of, the part that'],
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'anyone who, the person who'],
  [/\bof nobody\b/i, 'not tied to an account'],
  [/\bmend(s|ed|ing)?\b/i, 'fix, repair'],
  [/\b(that|this) is none\b/i, 'is not one, is not a …'],
  [/\b(is|are|was|were) given up\b/i, 'failed permanently'],
  [/\bby whatever\b/i, 'however, by any'],
  [/\bbeside (it|them)\b/i, 'next to, separately, in the same folder'],
  [/\bsomebody\b/i, 'someone, a person, another user'],
  [/\bthereof\b/i, 'of it'],
  [/\bdearer\b/i, 'more expensive'],
  [/\b(the|clerk[’']s|operator[’']s) desk\b/i, 'the operator’s pages, the queue'],
  [/\bwhose doing\b/i, 'which party caused'],
  [/\bof ours\b/i, 'our, one of our'],
  [/\bfor ever\b/i, 'forever, indefinitely'],
  [/\bin vain\b/i, 'without success'],
  [/\bcounts no more\b/i, 'is no longer active'],
  [/\b(whilst|amongst)\b/i, 'while, among'],
  [
    // Canadian proper names keep theirs: Labour Day, Canada Labour Code
    /\b(behaviour|colour|favour|flavour|honour|humour|labour(?! (Code|Day)\b)|neighbour|rumour|endeavour|harbour)\w*/i,
    'the American spelling: -or',
  ],
  [
    /\b(apolog|author|capital|categor|custom|emphas|final|general|initial|local|maxim|memor|minim|normal|optim|organ|prior|real|recogn|sanit|serial|special|standard|summar|synchron|util)(it)?is(e[sd]?|ing|ation)\b/i,
    'the American spelling: -ize',
  ],
  [/\b(anal|paral|catal)ys(e[sd]?|ing)\b/i, 'the American spelling: -yze'],
  // in lower case: Centre is part of names
  [/\b(centre|fibre|litre|metre|kilometre|theatre)s?\b/, 'the American spelling: -er'],
  [/\b(analogue|catalogue|dialogue)s?\b/i, 'the American spelling: -og'],
  [
    // `cancelled` is a wire value: in quotes, or in a list of call results
    /\b(?<!(['"]|busy |completed, ))(cancel|fuel|initial|label|level|model|signal|total|travel)l(ed|ing|er)\b/i,
    'the American spelling, with one l; `cancelled` only as the value on the wire',
  ],
  [/\b(licence|defence|offence)s?\b/i, 'the American spelling: -se'],
  [/\be-mail/i, 'email'],
  [/\b[Cc]aller-ID\b/, 'caller ID'],
  [/\b(afterwards|learnt|ageing)\b/i, 'afterward, learned, aging'],
  [/\bworking days?\b/i, 'business day'],
  [/\bwhite space\b/i, 'whitespace'],
  [/\b(grey|cheques?|programmes?|judgements?)\b/i, 'gray, check, program, judgment'],
]

/** Folders and pages that are checked. STYLE.md is not: it quotes retired words. */
export const enforced = [
  'acceptance',
  'api',
  'bench',
  'cli',
  'docs',
  'portal',
  'scripts',
  'server',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
]
