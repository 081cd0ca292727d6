// Apostrophes that keep spreadsheets from running the texts of a file or of the clipboard as formulas.
//
// A spreadsheet need not split a text where its parts were joined: Excel takes the separator of the machine's language, import dialogs and "text to columns"
// take any, and some readers ignore quotes. So a cell may begin where a value begins, and after every separator or line end in it.
//
// G1: Whatever separators are assumed, and whether or not quotes count, no cell that begins in a guarded text begins with a formula sign. Blanks, invisible
// characters and quotes before the sign make no difference, because programs strip them. A text that is a plain number as a whole is exempt and stays a number.
// A number within a text is not: with another separator its cell may go on into the next value.
//
// G2: withoutGuard(withGuard(text)) === text, for every text.
//
// G2 holds because the guard is an apostrophe at the beginning of the text, and one at every place in it where a formula would begin, each before the
// apostrophes that are there already; and because these places are the same with any number of apostrophes. withoutGuard leaves a text without the first
// apostrophe as it is, so that other people's texts, such as source code with `,'-x'`, are rarely taken for guarded ones.
//
// The blank and the colon are no separators here, although an import dialog offers them: prose is full of both.

const separator = String.raw`[,;|\p{Cc}\u2028\u2029]`

const blank = String.raw`\p{Zs}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`

/** Stripped before a formula by one program or another. It shares no character with the separators, so that matching takes linear time. */
const ignored = `["${blank}]*`

/** Full-width and small forms count, because Excel reads them as ASCII in some languages. */
const sign = String.raw`[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]`

const number = /^[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?$/

const atBeginning = new RegExp(String.raw`^'*${ignored}(?:${sign}|[\t\r\n])`, 'u')

/**
 * A tab or a lone CR is a sign, too. It begins no cell after another of its kind: a program that ends a cell at the first one ends the next at the second.
 * CRLF is a line end, and no sign.
 */
const within = (apostrophe: string): RegExp =>
  new RegExp(String.raw`(?!\t'*[${blank}]*\t|\r'*[${blank}]*\r)(${separator})${apostrophe}('*)(?=${ignored}(?:${sign}|\t|\r(?!\n)))`, 'gu')
const unguarded = within('')
const guarded = within("'")

const beginsFormula = (text: string): boolean => atBeginning.test(text) && !number.test(text.replace(/^'+/, ''))

/** Puts apostrophes where a formula could begin. */
export function withGuard(text: string): string {
  const inside = text.replace(unguarded, "$1'$2")
  return inside !== text || beginsFormula(text) ? `'${inside}` : text
}

/** Takes away the apostrophes that withGuard puts into a text, and no others. */
export function withoutGuard(text: string): string {
  if (!text.startsWith("'")) return text
  return beginsFormula(text) || text.search(unguarded) >= 0 ? text.slice(1).replace(guarded, '$1$2') : text
}
