// Numbers with what they count.

/** The forms of a noun after a number, by the plural rules of its language. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & {other: string}

/** Returns a function that writes a number with the form that a language uses after it, such as `1,234 issues`. The number has the form of the browser's locale. */
export function counter(language: string): (n: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  return (n, forms) => `${n.toLocaleString()} ${forms[rules.select(n)] ?? forms.other}`
}
