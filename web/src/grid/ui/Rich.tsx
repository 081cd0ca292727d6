// A text with elements in it.
import {Fragment, type ReactNode} from 'react'

/** Shows a text in which `{name}` stands for an element, such as `Press {key} to search`. A name without an element is shown as it is. */
export function Rich({text, ...parts}: {text: string} & Record<string, ReactNode>) {
  return text.split(/\{(\w+)\}/).map((part, i) => <Fragment key={i}>{i % 2 === 0 ? part : (parts[part] ?? `{${part}}`)}</Fragment>)
}
