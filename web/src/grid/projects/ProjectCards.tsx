// Projects as cards, with the facts of those that are visible.
import {useEffect, useRef, useSyncExternalStore} from 'react'
import type {ProjectCardFragment} from '../../gql/graphql'
import {messages} from '../messages'
import {ago} from '../model/ago'
import type {ProjectFacts} from './facts'
import {newView, writeView} from '../model/view'

export function ProjectCards({label, projects, facts}: {label: string; projects: readonly ProjectCardFragment[]; facts: ProjectFacts}) {
  return (
    <ul className="cards" aria-label={label}>
      {projects.map(p => (
        <Card key={p.id} project={p} facts={facts} />
      ))}
    </ul>
  )
}

function Card({project: {id, key, name}, facts}: {project: ProjectCardFragment; facts: ProjectFacts}) {
  const known = useSyncExternalStore(facts.subscribe, facts.snapshot).get(id)
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!card.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && facts.want(id))
    observer.observe(card.current)
    return () => observer.disconnect()
  }, [facts, id])
  return (
    <li ref={card}>
      <a href={'/' + writeView(newView(id))}>
        <span className="key">{key}</span>
        <span className="name" dir="auto">
          {name}
        </span>
        <span className="hint facts">
          {known && (
            <>
              {known.exact ? messages.projects.open(known.open) : messages.projects.atLeastOpen(known.open)}
              {known.changed && (
                <>
                  {' · '}
                  <time dateTime={known.changed} title={new Date(known.changed).toLocaleString()}>
                    {ago(known.changed, new Date())}
                  </time>
                </>
              )}
            </>
          )}
        </span>
      </a>
    </li>
  )
}
