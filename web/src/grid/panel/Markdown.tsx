// Shows a text as Markdown. Until the renderer is loaded, or if it cannot render the text, the text is shown as it was written.
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'react'
import {messages} from '../messages'
import {partsOf} from './parts'

type Render = (text: string) => DocumentFragment

let loaded: Render | null = null
const load = async (): Promise<Render> => (loaded ??= (await import('./markdown')).render)

export function Markdown({text}: {text: string}) {
  const parts = useMemo(() => partsOf(text), [text])
  const [all, setAll] = useState(false)
  const [count, setCount] = useState(1)
  const [render, setRender] = useState<Render | null>(() => loaded)
  useEffect(() => {
    if (render) return
    let current = true
    load().then(
      render => current && setRender(() => render),
      () => undefined, // offline: the text stays as it was written
    )
    return () => {
      current = false
    }
  }, [render])
  // One part a task, so that the page answers in between.
  const isMore = all && count < parts.length
  useEffect(() => {
    if (!isMore) return
    const timer = setTimeout(() => setCount(n => n + 1))
    return () => clearTimeout(timer)
  }, [isMore, count])
  return (
    <div className="markdown" aria-busy={isMore}>
      {parts.slice(0, all ? count : 1).map((part, i) => (
        <Part key={i} text={part} render={render} />
      ))}
      {parts.length > 1 && (
        <button
          type="button"
          className="link"
          aria-expanded={all}
          onClick={() => {
            setAll(!all)
            setCount(1)
          }}
        >
          {all ? messages.panel.showLess : messages.panel.showAll}
        </button>
      )}
    </div>
  )
}

function Part({text, render}: {text: string; render: Render | null}) {
  const box = useRef<HTMLDivElement>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const isPlain = render === null || failed === text
  useLayoutEffect(() => {
    if (isPlain) return
    try {
      box.current?.replaceChildren(render(text))
    } catch {
      setFailed(text)
    }
  }, [render, text, isPlain])
  // Two elements, because React does not know the children of the second.
  return isPlain ? (
    <div key="plain" className="markdown-plain" dir="auto">
      {text}
    </div>
  ) : (
    <div key="rendered" ref={box} />
  )
}
