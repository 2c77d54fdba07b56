/**
 * Which cells of a CSV file a spreadsheet would evaluate as formulas (https://owasp.org/www-community/attacks/CSV_Injection): an
 * apostrophe goes before them. As expressions that JavaScript and RE2 read alike, because the call-record engine writes its own files.
 */

/** Signs that begin a formula, also in full width, as spreadsheets in East Asian locales read them. */
const signs = '=+@\uff1d\uff0b\uff20\uff0d-'
/** Line separators and controls that spreadsheets drop or break a cell at: TAB, LF, VT, FF, CR, NEL, LS, PS. */
const separators = '\t\n\v\f\r\u0085\u2028\u2029'

/** Text that begins with a separator, or with a sign after any spaces, controls and invisible characters. */
export const formulaPattern = `^([${separators}]|[\\p{Z}\\p{Cc}\\p{Cf}]*[${signs}])`
/** Telephone numbers such as +12065550100, which stay as they are. */
export const telephonePattern = '^[+]?[0-9]+$'

const formula = new RegExp(formulaPattern, 'u')
const telephone = new RegExp(telephonePattern)

/** The cell as it is, or with an apostrophe before it if a spreadsheet would evaluate it. */
export const neutralized = (cell: string): string => (formula.test(cell) && !telephone.test(cell) ? `'${cell}` : cell)
