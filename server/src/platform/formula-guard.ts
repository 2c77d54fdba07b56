/**
 * Which CSV cells a spreadsheet would evaluate as formulas (https://owasp.org/www-community/attacks/CSV_Injection); those get a
 * leading apostrophe. Written as expressions that JavaScript and RE2 read alike, because the call-record engine writes its own
 * files.
 */

/** Characters that start a formula, including full-width forms, which spreadsheets in East Asian locales accept. */
const signs = '=+@\uff1d\uff0b\uff20\uff0d-'
/** Line separators and controls that spreadsheets drop or split cells at: TAB, LF, VT, FF, CR, NEL, LS, PS. */
const separators = '\t\n\v\f\r\u0085\u2028\u2029'

/** Text that starts with a separator, or with a formula character after spaces, controls, or invisible characters. */
export const formulaPattern = `^([${separators}]|[\\p{Z}\\p{Cc}\\p{Cf}]*[${signs}])`
/** Telephone numbers such as +12065550100, which stay unchanged. */
export const telephonePattern = '^[+]?[0-9]+$'

const formula = new RegExp(formulaPattern, 'u')
const telephone = new RegExp(telephonePattern)

/** The cell, with a leading apostrophe if a spreadsheet would evaluate it. */
export const neutralized = (cell: string): string => (formula.test(cell) && !telephone.test(cell) ? `'${cell}` : cell)
