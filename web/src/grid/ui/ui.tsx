// Dialogs, popovers, menus and toasts. They use the native elements where the browser has them, for focus, Escape and the top layer.
import {useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore, type ButtonHTMLAttributes, type KeyboardEvent, type ReactNode} from 'react'
import {createPortal, flushSync} from 'react-dom'
import {messages} from '../messages'
import {Store} from '../data/store'
import {isComposing} from './keys'

/** A modal dialog, open while it is rendered. It calls onClose on Escape and on its close button. */
export function Dialog({
  title,
  onClose,
  children,
  footer,
  wide = false,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
  wide?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useLayoutEffect(() => {
    const d = dialog.current
    if (!d) return
    const before = document.activeElement
    const around = before?.parentElement
    if (!d.open) d.showModal()
    const marked = d.querySelector('[data-autofocus]') ?? d.querySelector('.dialog-body :is(input,select,textarea)')
    if (marked) focusFirst(marked)
    return () => {
      d.close()
      // The browser restores the focus only from a dialog that is still in the document, and only to an element that is.
      if (before instanceof HTMLElement && before.isConnected) before.focus({preventScroll: true})
      else around?.querySelector<HTMLElement>('input,select,textarea,button')?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={e => {
        e.preventDefault()
        onClose()
      }}
      onKeyDown={e => {
        e.stopPropagation()
        if (e.key !== 'Escape' || e.defaultPrevented || isComposing(e)) return
        e.preventDefault() // a second Escape would close the dialog even if onCancel prevents it
        onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <IconButton label={messages.ui.close} icon="close" onClick={onClose} />
      </div>
      <div className="dialog-body">{children}</div>
      {footer && <div className="dialog-foot">{footer}</div>}
    </dialog>
  )
}

/** A box below or above its anchor. Escape and a click elsewhere close it. */
export function Popover({
  anchor,
  label,
  onClose,
  children,
  role = 'dialog',
  className = '',
}: {
  anchor: Element | DOMRect
  label: string
  onClose: () => void
  children: ReactNode
  role?: 'dialog' | 'menu'
  className?: string
}) {
  const box = useRef<HTMLDivElement>(null)
  const origin = useRef<Element>(null)
  const close = useRef(onClose)
  useEffect(() => {
    close.current = onClose
  })
  useEffect(() => {
    const element = box.current
    if (!element) return
    // Set only once: the content may have the focus when the effect runs again.
    origin.current ??= document.activeElement
    element.showPopover()
    place(element, anchor instanceof Element ? anchor.getBoundingClientRect() : anchor)
    focusFirst(element.querySelector('[data-autofocus]') ?? element)
    const toggled = (e: Event) => {
      if ((e as ToggleEvent).newState === 'closed') close.current()
    }
    element.addEventListener('toggle', toggled)
    return () => {
      element.removeEventListener('toggle', toggled)
      const before = origin.current
      if (before instanceof HTMLElement && (element.contains(document.activeElement) || document.activeElement === document.body))
        before.focus({preventScroll: true})
    }
  }, [anchor])
  return createPortal(
    <div
      ref={box}
      popover="auto"
      role={role}
      aria-label={label}
      className={`popover ${className}`}
      onKeyDown={e => {
        e.stopPropagation()
        if (e.key === 'Escape' && !isComposing(e)) {
          e.preventDefault()
          onClose()
        }
      }}
    >
      {children}
    </div>,
    // In the dialog of the anchor, because everything outside a modal dialog is inert; otherwise in a landmark.
    (anchor instanceof Element && anchor.closest('dialog')) || document.querySelector('main') || document.body,
  )
}

const focusable = 'input,select,textarea,button,[tabindex]'

/** Focuses an element, or its first focusable descendant. */
export function focusFirst(element: Element): void {
  const first = element.matches(focusable) ? element : element.querySelector(focusable)
  if (first instanceof HTMLElement) first.focus()
}

/** Submits a form on Enter in a select: browsers submit only from inputs. */
export function submitFromSelect(e: KeyboardEvent<HTMLFormElement>): void {
  if (e.key !== 'Enter' || !(e.target instanceof HTMLSelectElement)) return
  e.preventDefault()
  e.currentTarget.requestSubmit()
}

/** Places a box below a rectangle, or above it if there is more space, and inside the window. */
export function place(element: HTMLElement, around: DOMRect): void {
  const {innerWidth, innerHeight} = window
  const {width, height} = element.getBoundingClientRect()
  const below = innerHeight - around.bottom - 8
  const left = Math.max(8, Math.min(around.left, innerWidth - width - 8))
  const top = height <= below || below >= around.top ? around.bottom + 4 : Math.max(8, around.top - height - 4)
  element.style.left = `${left}px`
  element.style.top = `${top}px`
  element.style.maxHeight = `${innerHeight - top - 8}px`
}

export interface MenuItem {
  label: string
  icon?: IconName
  onSelect: () => void
  disabled?: boolean
  checked?: boolean
  /** Draws a line above the item. */
  separated?: boolean
}

/** A button that opens a menu. */
export function MenuButton({
  label,
  items,
  children,
  ...button
}: {label: string; items: () => MenuItem[]; children: ReactNode} & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'>) {
  const [anchor, setAnchor] = useState<Element | null>(null)
  return (
    <>
      <button type="button" aria-haspopup="menu" aria-expanded={anchor !== null} aria-label={label} {...button} onClick={e => setAnchor(e.currentTarget)}>
        {children}
      </button>
      {anchor && <Menu anchor={anchor} label={label} items={items()} onClose={() => setAnchor(null)} />}
    </>
  )
}

/** How long after a key another one continues the text that is typed in a menu, in ms. */
const typing = 1000

/** A menu. The arrow keys, Home and End move the focus, and text that is typed moves it to an item that begins with it. */
export function Menu({anchor, label, items, onClose}: {anchor: Element | DOMRect; label: string; items: MenuItem[]; onClose: () => void}) {
  const typed = useRef({text: '', at: -Infinity})
  const move = (e: KeyboardEvent<HTMLDivElement>) => {
    const buttons = [...e.currentTarget.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1}[e.key]
    if (to !== undefined) {
      e.preventDefault()
      buttons[(to + buttons.length) % buttons.length]?.focus()
      return
    }
    const before = e.timeStamp - typed.current.at < typing ? typed.current.text : ''
    if ([...e.key].length !== 1 || e.ctrlKey || e.metaKey || e.altKey || (e.key === ' ' && !before)) return
    e.preventDefault() // a space within a text selects nothing
    const text = before + e.key.toLocaleLowerCase()
    typed.current = {text, at: e.timeStamp}
    // A text stays at its item; a letter, and the same one again, goes on to the next.
    const one = [...text].every(c => c === text[0])
    const from = one ? at + 1 : at
    const wanted = one ? text[0]! : text
    const order = [...buttons.slice(from), ...buttons.slice(0, from)]
    order.find(b => b.textContent.trim().toLocaleLowerCase().startsWith(wanted))?.focus()
  }
  return (
    <Popover anchor={anchor} label={label} onClose={onClose} role="menu" className="menu">
      <div
        role="presentation"
        onKeyDown={move}
        onKeyUp={e => {
          // Firefox clicks a button at the end of a space, also if its beginning was prevented.
          if (e.key === ' ' && typed.current.text.endsWith(' ') && e.timeStamp - typed.current.at < typing) e.preventDefault()
        }}
      >
        {items.map((item, i) => (
          <button
            key={i}
            type="button"
            role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
            aria-checked={item.checked}
            disabled={item.disabled}
            className={item.separated ? 'separated' : undefined}
            onClick={() => {
              flushSync(onClose) // moves the focus to the menu's button, where a dialog returns it
              item.onSelect()
            }}
          >
            <Icon name={item.checked ? 'check' : (item.icon ?? 'none')} />
            {item.label}
          </button>
        ))}
      </div>
    </Popover>
  )
}

export interface Toast {
  id: number
  text: string
  kind: 'info' | 'error'
  action?: {label: string; run: () => void}
}

/** Toasts at the edge of the page. Errors stay until they are closed. */
export class Toasts extends Store<readonly Toast[]> {
  private next = 1

  constructor() {
    super([])
  }

  info(text: string, action?: Toast['action']): void {
    const id = this.add({text, kind: 'info', action})
    setTimeout(() => this.close(id), action ? 8000 : 4000)
  }

  /** Shows an error until it is closed, and returns its ID. */
  error(text: string, action?: Toast['action']): number {
    return this.state.find(t => t.text === text && t.kind === 'error')?.id ?? this.add({text, kind: 'error', action})
  }

  close(id: number): void {
    this.replaceState(this.state.filter(t => t.id !== id))
  }

  private add(t: Omit<Toast, 'id'>): number {
    const id = this.next++
    this.replaceState([...this.state.slice(-3), {...t, id}])
    return id
  }
}

export function ToastList({toasts}: {toasts: Toasts}) {
  const list = useSyncExternalStore(toasts.subscribe, toasts.snapshot)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map(t => (
        <div key={t.id} className={`toast ${t.kind}`} role={t.kind === 'error' ? 'alert' : undefined}>
          <span>{t.text}</span>
          {t.action && (
            <button
              type="button"
              onClick={() => {
                toasts.close(t.id)
                t.action?.run()
              }}
            >
              {t.action.label}
            </button>
          )}
          <IconButton label={messages.ui.closeMessage} icon="close" onClick={() => toasts.close(t.id)} />
        </div>
      ))}
    </div>
  )
}

const paths = {
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  none: '',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 4L6 8l4 4',
  right: 'M6 4l4 4-4 4',
  sortAscending: 'M8 13V3M4.5 6.5L8 3l3.5 3.5',
  sortDescending: 'M8 3v10M4.5 9.5L8 13l3.5-3.5',
  filter: 'M2 3h12L9.5 8.5V13l-3-1.5v-3z',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  more: 'M2.5 8h1M7.5 8h1M12.5 8h1',
  plus: 'M8 3v10M3 8h10',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5',
  edit: 'M3 13l.6-2.8L11 2.8l2.2 2.2-7.4 7.4z',
  undo: 'M6 3L3 6l3 3M3 6h6.5a3.5 3.5 0 010 7H6',
  redo: 'M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 000 7H10',
  refresh: 'M13 8a5 5 0 11-1.5-3.5M13 2.5v3h-3',
  export: 'M8 2.5v7M5 6.5l3 3 3-3M3 13h10',
  import: 'M8 9.5v-7M5 5.5l3-3 3 3M3 13h10',
  view: 'M3 2.5h10v11l-5-3-5 3z',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  grip: 'M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01',
  group: 'M2.5 3.5h11M5.5 6.5h8M5.5 9.5h8M2.5 12.5h11',
  sum: 'M12 3.5H4.5l4 4.5-4 4.5H12',
  pin: 'M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5',
  moon: 'M13 9.5A5.5 5.5 0 116.5 3 4.5 4.5 0 0013 9.5z',
  jump: 'M3 3v10M6 8h7M10 5l3 3-3 3',
  panel: 'M2.5 3h11v10h-11zM9.5 3v10',
  link: 'M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 013.5 3.5L10.5 8.5M9 11l-1.5 1.5A2.5 2.5 0 014 9l1.5-1.5',
  text: 'M3 4h10M8 4v9',
  lines: 'M3 4h10M3 8h10M3 12h6',
  number: 'M6.5 3L5 13M11 3L9.5 13M3 6h10.5M2.5 10H13',
  clock: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11M8 5v3l2 1.5',
  box: 'M3 3h10v10H3zM5.5 8l2 2 3.5-4',
  option: 'M2.5 4.5h11v7h-11zM6 7l2 2 2-2',
  list: 'M2.5 4h1M6 4h7.5M2.5 8h1M6 8h7.5M2.5 12h1M6 12h7.5',
  tag: 'M3 3h5l5.5 5.5-5 5L3 8zM5.5 5.5h.01',
  person: 'M8 3a2.3 2.3 0 100 4.6A2.3 2.3 0 008 3M3.5 13a4.5 4.5 0 019 0',
  team: 'M6 3.5a2 2 0 100 4 2 2 0 000-4M2 12.5a4 4 0 018 0M10.5 4a1.8 1.8 0 110 3.6M11 9.2a3.6 3.6 0 013 3.3',
  search: 'M7 2.8a4.2 4.2 0 100 8.4 4.2 4.2 0 000-8.4M10.2 10.2l3.3 3.3',
  settings: 'M2.5 5h4.5M11 5h2.5M9 3.2a1.8 1.8 0 100 3.6 1.8 1.8 0 000-3.6M2.5 11h1.5M8 11h5.5M6 9.2a1.8 1.8 0 100 3.6 1.8 1.8 0 000-3.6',
  warning: 'M8 2.5l6 11H2zM8 6.5v3M8 11.5h.01',
} as const

export type IconName = keyof typeof paths

export function Icon({name}: {name: IconName}) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}

export function IconButton({label, icon, ...button}: {label: string; icon: IconName} & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} {...button}>
      <Icon name={icon} />
    </button>
  )
}
