import type {board as en} from '../en/board'

export const board: typeof en = {
  title: 'Board',
  show: 'Vorgänge als Karten in Spalten anzeigen',
  showGrid: 'Vorgänge als Tabelle anzeigen',
  boardOf: (project, column) => `Board von ${project} nach ${column}`,
  column: (group, count, position, of) => [group, ...(count ? [count] : []), of === null ? `Spalte ${position}` : `Spalte ${position} von ${of}`].join(', '),
  fold: group => `${group} einklappen`,
  unfold: group => `${group} ausklappen`,
  empty: 'Keine Vorgänge',
  menu: issue => `Aktionen für ${issue}`,
  inConflict: issue => `${issue} wurde auch von anderen geändert: Wert auswählen`,
}
