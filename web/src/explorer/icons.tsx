import type {ReactNode} from 'react'

function Icon({children}: {children: ReactNode}) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      {children}
    </svg>
  )
}

/** A gauge. */
export function CostIcon() {
  return (
    <Icon>
      <path d="M4 18a9 9 0 1 1 16 0" />
      <path d="m12 14 4-5" />
      <circle cx="12" cy="14" r="1.5" />
    </Icon>
  )
}

/** A list of operations to run. */
export function ExamplesIcon() {
  return (
    <Icon>
      <path d="M4 5.5v4l3.5-2zM4 14.5v4l3.5-2z" />
      <path d="M11 7.5h9M11 16.5h9" />
    </Icon>
  )
}
