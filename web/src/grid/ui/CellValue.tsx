// Shows a value in a cell.
import type {CSSProperties} from 'react'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {usePadding} from './decimals'
import {PersonName} from './PersonName'
import {Icon} from './ui'
import {fractionOf} from '../model/numbers'
import {Excerpt, here, nameOf, PersonValue, show, type Option, type Value} from '../model/values'

interface Props {
  column: Column
  value: Value
  /** Whether there is room for several lines. */
  isTall?: boolean
  /** Opens the issue in the page. The number is then a link, which opens it in a new tab with Ctrl or the middle button. */
  onOpen?: (() => void) | undefined
  href?: string | undefined
  /** Toggles a boolean, which is then shown as a check box, even if it has no value. */
  onToggle?: (() => void) | undefined
}

export function CellValue({column, value, isTall = false, onOpen, href, onToggle}: Props) {
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
  const isLong = typeof value === 'string' && value.length > 30
  switch (column.type) {
    case 'BOOLEAN':
      return (
        <span className={value ? 'truth yes' : 'truth'}>
          {value === true && <Icon name="check" />}
          {show(column, value)}
        </span>
      )
    case 'SELECT':
      return <Pill option={column.options.find(o => o.id === value)} name={nameOf(column, value as string)} />
    case 'MULTI_SELECT':
      return (
        <span className="pills">
          {(value as readonly string[]).map(id => (
            <Pill key={id} option={column.options.find(o => o.id === id)} name={nameOf(column, id)} />
          ))}
        </span>
      )
    case 'TAGS':
      return (
        <span className="pills">
          {(value as readonly string[]).map(tag => (
            <span className="pill tag" key={tag} dir="auto">
              {tag}
            </span>
          ))}
        </span>
      )
    case 'USER':
      return value instanceof PersonValue && value.user ? <PersonName person={value.user} /> : <PlainName name={String(value)} />
    case 'NUMBER':
      return <NumberOf column={column} text={show(column, value)} />
    case 'LONG_TEXT':
      return <span dir="auto">{isTall && value instanceof Excerpt && value.excerpt !== null ? value.excerpt : show(column, value)}</span>
    case 'DATETIME':
      return <time dateTime={value as string}>{show(column, value)}</time>
    default:
      if (onOpen)
        return (
          <a
            className="open-issue"
            href={href}
            tabIndex={-1}
            aria-label={messages.ui.openIssue(show(column, value))}
            draggable={false}
            onClick={e => {
              if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return
              e.preventDefault()
              onOpen()
            }}
            onPointerDown={e => e.stopPropagation()}
          >
            {String(value)}
          </a>
        )
      return (
        <span dir={typeof value === 'string' ? 'auto' : undefined} title={isLong ? value : undefined}>
          {column.type === 'INTEGER' ? String(value) : column.type === 'TEXT' ? <Linked text={show(column, value)} /> : show(column, value)}
        </span>
      )
  }
}

/** Shows a number whose decimal point is below that of the others in its column. */
function NumberOf({column, text}: {column: Column; text: string}) {
  const padding = usePadding(column.id, fractionOf(text, here.locale))
  return <span data-padding={padding || undefined}>{text}</span>
}

/** Shows a text with its web addresses as links. A click opens one only with Ctrl, or if its cell was active before: other clicks select the cell. */
function Linked({text}: {text: string}) {
  if (!text.includes('://')) return text
  return text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?'])/u).map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <a
        key={i}
        href={part}
        target="_blank"
        // eslint-disable-next-line no-restricted-syntax -- not shown
        rel="noopener noreferrer nofollow"
        tabIndex={-1}
        draggable={false}
        onMouseDown={e => e.preventDefault()} // the grid keeps the focus
        onPointerDown={e => (e.currentTarget.dataset.ready = String(e.currentTarget.closest('.cell')?.classList.contains('active') ?? true))}
        onClick={e => {
          if (e.currentTarget.dataset.ready !== 'true' && !e.ctrlKey && !e.metaKey) e.preventDefault()
        }}
      >
        {part}
      </a>
    ),
  )
}

/** Shows an option, tinted with its color. The color of a closed state is less visible. */
export function Pill({option, name}: {option: Option | undefined; name: string}) {
  const classes = ['pill']
  if (option?.color) classes.push('tinted')
  if (option?.isClosed) classes.push('closed')
  return (
    <span className={classes.join(' ')} style={option?.color ? ({'--tint': option.color} as CSSProperties) : undefined} dir="auto">
      {name}
    </span>
  )
}

/** Shows a name that belongs to no user. */
function PlainName({name}: {name: string}) {
  return (
    <span className="person" title={name} dir="auto">
      <span className="avatar" aria-hidden="true" data-initials={initials(name)} style={{'--hue': hue(name)} as CSSProperties} />
      {name}
    </span>
  )
}

/** Returns the first letters of the first and the last word of a name. */
function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter(Boolean)
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map(w => [...(w ?? '')][0]?.toLocaleUpperCase() ?? '').join('')
}

/** Returns the hue of a name's avatar, in degrees; the same for the same name. */
const hue = (name: string): number => [...name].reduce((n, c) => (n * 31 + c.codePointAt(0)!) % 360, 7)
