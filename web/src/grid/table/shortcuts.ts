// The keys of the grid, as the dialog and docs/client.md list them.

/** Keys and what they do. */
export const shortcuts: readonly (readonly [keys: string, action: string])[] = [
  ['arrows, Home, End, Page up, Page down; with Ctrl to the ends', 'move'],
  ['with Shift', 'select a range'],
  ['Ctrl+A', 'select all cells'],
  ['Enter, F2, or a character', 'edit; for options, people and tags: search'],
  ['Enter, Shift+Enter, Tab, Shift+Tab', 'save, and move down, up, right, left'],
  ['Alt+Enter', 'a line break'],
  ['Comma', 'one more option or tag'],
  ['Escape', 'cancel the edit; clear the range and the selected rows'],
  ['Delete', 'clear the cells'],
  ['Ctrl+C, Ctrl+X, Ctrl+V', 'clipboard'],
  ['Ctrl+D, Ctrl+R', 'fill the range down from its first row, right from its first column; a single cell from the one above, or to the left'],
  ['Ctrl+Z, Ctrl+Shift+Z or Ctrl+Y', 'undo, redo'],
  ['Space', 'change a check box; select the row'],
  ['Shift+Space', 'select the row'],
  ['/', 'search'],
  ['Ctrl+K', 'find an action, a column, a view or an issue'],
  ['F8', 'list the conflicts'],
  ['Enter on a number', 'open the issue; a click with Ctrl or the middle button opens it in a new tab'],
  ['Shift+F10, or the menu key', 'the menu of the cell'],
  ['Arrow up from the first row', 'go to the headers: Enter sorts, Alt+Arrow down opens the menu'],
  ['Ctrl+G', 'jump to a number, or to a value of the sorted column'],
  ['Alt+N', 'new issue'],
  ['?', 'this list'],
]
