// Shows a value in a cell.
import type {Column} from '../model/columns'
import {Swatch} from './editors'
import {Icon} from './ui'
import {nameOf, show, type Value} from '../model/values'

export function CellValue({column, value, onOpen}: {column: Column; value: Value; onOpen?: (() => void) | undefined}) {
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
