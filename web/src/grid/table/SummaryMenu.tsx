// The menu that chooses the summary of a column.
import {useGrid} from '../context/context'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {choose, hasPart, partsOf, type Part} from '../model/summaries'
import {Menu, type MenuItem} from '../ui/ui'

/** Returns the name of a part. The bounds of dates and times have names of their own. */
export function partName(column: Column, part: Part): string {
  const texts = messages.table.figures.parts
  const isTime = column.type === 'DATE' || column.type === 'DATETIME'
  if (isTime && part === 'min') return texts.earliest
  if (isTime && part === 'max') return texts.latest
  return texts[part]
}

interface Props {
  anchor: Element
  column: Column
  /** Entries after the others. */
  more?: readonly MenuItem[]
  onClose: () => void
}

export function SummaryMenu({anchor, column, more = [], onClose}: Props) {
  const {view, setView} = useGrid()
  const texts = messages.table.figures
  const part = view.summaries[column.id]
  const chosen = part && hasPart(column, part) ? part : null
  const entry = (label: string, part: Part | null): MenuItem => ({
    label,
    checked: part === chosen,
    onSelect: () => setView({summaries: choose(view.summaries, column.id, part)}),
  })
  const items = [entry(texts.none, null), ...partsOf(column).map(p => entry(partName(column, p), p)), ...more]
  return <Menu anchor={anchor} label={texts.title(column.label)} items={items} onClose={onClose} />
}
