// Shows a value in a cell.
import type {Column} from '../model/columns'
import {Swatch} from './editors'
import {Icon} from './ui'
import {nameOf, show, type Value} from '../model/values'

interface Props {
  column: Column
  value: Value
  onOpen?: (() => void) | undefined
  /** Toggles a boolean, which is then shown as a check box, even if it has no value. */
  onToggle?: (() => void) | undefined
}

export function CellValue({column, value, onOpen, onToggle}: Props) {
  if (onToggle)
    return (
      <>
        <button
          type="button"
          role="checkbox"
          aria-checked={value === null ? 'mixed' : value === true}
          aria-label={column.label}
          className="truth-box"
          tabIndex={-1}
          onClick={onToggle}
          onMouseDown={e => e.preventDefault()} // the grid keeps the focus
          onDoubleClick={e => e.stopPropagation()}
        >
          {value === true && <Icon name="check" />}
        </button>
        <span className="visually-hidden">{show(column, value)}</span>
      </>
    )
  if (value === null) return null
  switch (column.type) {
    case 'BOOLEAN':
      return (
        <span className={value ? 'truth yes' : 'truth'}>
          {value === true && <Icon name="check" />}
          {show(column, value)}
        </span>
      )
    case 'SELECT': {
      const option = column.options.find(o => o.id === value)
      return (
        <span className="pill">
          <Swatch color={option?.color} />
          {option?.name ?? String(value)}
        </span>
      )
    }
    case 'MULTI_SELECT':
      return (
        <span className="pills">
          {(value as readonly string[]).map(id => (
            <span className="pill" key={id}>
              <Swatch color={column.options.find(o => o.id === id)?.color} />
              {nameOf(column, id)}
            </span>
          ))}
        </span>
      )
    case 'TAGS':
      return (
        <span className="pills">
          {(value as readonly string[]).map(tag => (
            <span className="pill tag" key={tag}>
              {tag}
            </span>
          ))}
        </span>
      )
    case 'DATETIME':
      return <time dateTime={value as string}>{show(column, value)}</time>
    default:
      if (onOpen)
        return (
          <button
            type="button"
            className="open-issue"
            tabIndex={-1}
            aria-label={`Open issue ${show(column, value)}`}
            onClick={onOpen}
            onPointerDown={e => e.stopPropagation()}
          >
            {String(value)}
          </button>
        )
      return (
        <span title={typeof value === 'string' && value.length > 30 ? value : undefined}>
          {column.type === 'INTEGER' ? String(value) : show(column, value)}
        </span>
      )
  }
}
