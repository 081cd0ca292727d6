// Guards texts in files and on the clipboard with apostrophes, so that spreadsheets do not run them as formulas.
//
// A spreadsheet may split a text at other separators than it was joined with: Excel uses the separator of the computer's locale, import dialogs and "text to
// columns" accept any, and some readers ignore quotes. So a cell may begin where a value begins, and after every separator or line end in a value.
//
// G1: Whatever separators are assumed, and whether or not quotes count, no cell that begins in a guarded text begins with a formula sign. Blanks, invisible
// characters and quotes before the sign are ignored, because programs strip them. A text that is a plain number as a whole is exempt and stays a number. A
// number within a text is not exempt: with another separator, its cell may continue into the next value.
//
// G2: withoutGuard(withGuard(text)) === text, for every text.
//
// The guard is one apostrophe at the beginning of the text, and one at every position in it where a formula would begin, before any apostrophes that are
// already there. G2 holds because these positions do not depend on the number of apostrophes. withoutGuard does not change a text without the leading
// apostrophe, so texts from other sources, such as source code with `,'-x'`, are rarely taken for guarded ones.
//
// The blank and the colon are not separators here, although some import dialogs offer them, because both are frequent in prose.

const separator = String.raw`[,;|\p{Cc}\u2028\u2029]`

const blank = String.raw`\p{Zs}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`

/** Characters that some programs strip before a formula. They are disjoint from the separators, so that matching takes linear time. */
const ignored = `["${blank}]*`

/** Full-width and small forms count, because Excel reads them as ASCII in some languages. */
const sign = String.raw`[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]`

const number = /^[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?$/

const atBeginning = new RegExp(String.raw`^'*${ignored}(?:${sign}|[\t\r\n])`, 'u')

/**
 * A tab or a lone CR is a sign, too, but not directly after another one of its kind: a program that ends a cell at the first one ends the next cell at the
 * second. CRLF is a line end and not a sign.
 */
const within = (apostrophe: string): RegExp =>
  new RegExp(String.raw`(?!\t'*[${blank}]*\t|\r'*[${blank}]*\r)(${separator})${apostrophe}('*)(?=${ignored}(?:${sign}|\t|\r(?!\n)))`, 'gu')
const unguarded = within('')
const guarded = within("'")

const beginsFormula = (text: string): boolean => atBeginning.test(text) && !number.test(text.replace(/^'+/, ''))

/** Inserts an apostrophe wherever a formula could begin. */
export function withGuard(text: string): string {
  const inside = text.replace(unguarded, "$1'$2")
  return inside !== text || beginsFormula(text) ? `'${inside}` : text
}

/** Removes the apostrophes that withGuard inserts, and no others. */
export function withoutGuard(text: string): string {
  if (!text.startsWith("'")) return text
  return beginsFormula(text) || text.search(unguarded) >= 0 ? text.slice(1).replace(guarded, '$1$2') : text
}
