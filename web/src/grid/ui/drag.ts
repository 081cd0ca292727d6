// Dragging with the pointer. HTML has drag and drop for the mouse alone; this also works by pen and touch, and Escape cancels it.

/** How far the pointer moves, in pixels, before a press becomes a drag. */
const least = 5
/** How close to an edge the pointer makes the page scroll, in pixels, and by how many pixels a second at most. */
const edge = 48
const fastest = 1100
/** The longest time between two frames that is made up for, in seconds. */
const longest = 0.1

export interface Drag {
  /** The pointer has moved far enough: this is not a click. */
  begin: () => void
  /** The pointer is at this position in the window. Called again when the page scrolls below it. */
  over: (x: number, y: number) => void
  drop: () => void
  /** Called at the end of a drag that has begun, after `drop` unless it was cancelled. */
  end: () => void
  /** Returns the element that scrolls while the pointer is near its edges. */
  scroller: () => HTMLElement | null
  axis: 'x' | 'y'
}

/** Returns by how many pixels a second to scroll while the pointer is at a position of an axis between two edges: the closer to an edge, the more. */
export function speed(at: number, low: number, high: number): number {
  const room = Math.min(edge, (high - low) / 3)
  const beyond = at < low + room ? at - (low + room) : at > high - room ? at - (high - room) : 0
  return Math.round(Math.max(-1, Math.min(1, beyond / room)) * fastest)
}

/** Ignores the click that the browser makes of a press and a release. */
function ignoreClick(): void {
  const click = (e: Event) => {
    e.preventDefault()
    e.stopPropagation()
  }
  document.addEventListener('click', click, {capture: true, once: true})
  setTimeout(() => document.removeEventListener('click', click, true))
}

/** Follows the pointer after it was pressed, until it is released. An element of the class drag-label stays at the pointer. */
export function drag(down: PointerEvent, {begin, over, drop, end, scroller, axis}: Drag): void {
  const listening = new AbortController()
  const on = <K extends keyof DocumentEventMap>(name: K, listener: (e: DocumentEventMap[K]) => void) =>
    document.addEventListener(name, listener, {capture: true, signal: listening.signal})
  let [x, y] = [down.clientX, down.clientY]
  let begun = false
  let frame = 0
  let drawn = performance.now()

  const each = () => {
    const now = performance.now()
    const passed = Math.min((now - drawn) / 1000, longest)
    drawn = now
    const label = document.querySelector<HTMLElement>('.drag-label')
    if (label) label.style.transform = `translate(${x + 14}px, ${y + 10}px)`
    const box = scroller()
    if (box) {
      const {left, top, right, bottom} = box.getBoundingClientRect()
      const before = box.scrollLeft + box.scrollTop
      if (axis === 'x') box.scrollLeft += Math.round(speed(x, left, right) * passed)
      else box.scrollTop += Math.round(speed(y, top, bottom) * passed)
      if (box.scrollLeft + box.scrollTop !== before) over(x, y)
    }
    frame = requestAnimationFrame(each)
  }
  const finish = (isDrop: boolean) => {
    listening.abort()
    cancelAnimationFrame(frame)
    if (!begun) return
    document.documentElement.classList.remove('dragging')
    if (isDrop) drop()
    end()
  }

  on('pointermove', e => {
    if (e.pointerId !== down.pointerId) return
    ;[x, y] = [e.clientX, e.clientY]
    if (!begun) {
      if (Math.hypot(x - down.clientX, y - down.clientY) < least) return
      begun = true
      document.documentElement.classList.add('dragging')
      begin()
      each()
    }
    over(x, y)
  })
  on('pointerup', e => {
    if (e.pointerId !== down.pointerId) return
    if (begun) ignoreClick()
    finish(true)
  })
  on('pointercancel', e => e.pointerId === down.pointerId && finish(false))
  on('keydown', e => {
    if (!begun || e.key !== 'Escape') return
    e.preventDefault()
    e.stopPropagation()
    document.addEventListener('pointerup', ignoreClick, {capture: true, once: true})
    finish(false)
  })
  on('selectstart', e => e.preventDefault())
  on('dragstart', e => e.preventDefault())
  window.addEventListener('blur', () => finish(false), {signal: listening.signal})
}
