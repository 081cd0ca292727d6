// Chooses a color, or none.
import {useState, type CSSProperties} from 'react'
import {palette} from '../model/colors'
import {messages} from '../messages'
import {Icon, Popover} from '../ui/ui'

interface Props {
  label: string
  color: string | null
  onChange: (color: string | null) => void
}

export function ColorButton({label, color, onChange}: Props) {
  const [anchor, setAnchor] = useState<Element | null>(null)
  const choose = (color: string | null) => {
    setAnchor(null)
    onChange(color)
  }
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={e => setAnchor(e.currentTarget)}
      >
        <Swatch color={color} />
      </button>
      {anchor && (
        <Popover anchor={anchor} label={label} onClose={() => setAnchor(null)} className="admin-colors">
          {palette.map(p => (
            <button
              key={p.color}
              type="button"
              className="icon-button"
              aria-label={messages.admin.colors[p.name]}
              title={messages.admin.colors[p.name]}
              aria-pressed={p.color === color}
              onClick={() => choose(p.color)}
            >
              <Swatch color={p.color} />
            </button>
          ))}
          <button
            type="button"
            className="icon-button"
            aria-label={messages.admin.noColor}
            title={messages.admin.noColor}
            aria-pressed={color === null}
            onClick={() => choose(null)}
          >
            <Icon name="close" />
          </button>
          <label className="admin-other-color">
            {messages.admin.anotherColor}
            <input
              type="color"
              value={/^#\w{6}$/.test(color ?? '') ? color! : '#888888'}
              onChange={e => {
                onChange(e.target.value)
              }}
            />
          </label>
        </Popover>
      )}
    </>
  )
}

const Swatch = ({color}: {color: string | null}) => (
  <span className={color ? 'admin-swatch' : 'admin-swatch none'} style={color ? ({'--tint': color} as CSSProperties) : undefined} />
)
