// The colors that are offered for options and states. Any other CSS color can be chosen as well.

export const palette = [
  {name: 'Gray', color: '#6e7781'},
  {name: 'Blue', color: '#218bff'},
  {name: 'Green', color: '#2da44e'},
  {name: 'Yellow', color: '#d4a72c'},
  {name: 'Orange', color: '#e16f24'},
  {name: 'Red', color: '#cf222e'},
  {name: 'Pink', color: '#e85aad'},
  {name: 'Purple', color: '#8250df'},
  {name: 'Teal', color: '#1b9e9e'},
  {name: 'Brown', color: '#9a6700'},
] as const

/** Returns the color of a new entry: the first that no other entry has, or null if there is none. */
export const freshColor = (used: readonly (string | null | undefined)[]): string | null => palette.find(p => !used.includes(p.color))?.color ?? null
