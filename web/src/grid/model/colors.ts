// The colors that are offered for options and states. Any other CSS color can be chosen as well.

export const palette = [
  {name: 'gray', color: '#6e7781'},
  {name: 'blue', color: '#218bff'},
  {name: 'green', color: '#2da44e'},
  {name: 'yellow', color: '#d4a72c'},
  {name: 'orange', color: '#e16f24'},
  {name: 'red', color: '#cf222e'},
  {name: 'pink', color: '#e85aad'},
  {name: 'purple', color: '#8250df'},
  {name: 'teal', color: '#1b9e9e'},
  {name: 'brown', color: '#9a6700'},
] as const

/** Returns the color of a new entry: the first that no other entry has, or null if there is none. */
export const freshColor = (used: readonly (string | null | undefined)[]): string | null => palette.find(p => !used.includes(p.color))?.color ?? null
